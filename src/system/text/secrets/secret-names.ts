// The names of files that are known to contain secrets. Pure. No attempt commits a new one, and the engine asks before it reads one.

const NAMES: readonly RegExp[] = [
  /^\.env(?:rc)?(?:$|[._-])/,
  /\.env$/,
  /\.(?:pem|key|p8|ppk|p12|pfx|jks|keystore|kdbx)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)$/,
  /^\.(?:npmrc|netrc|pypirc|git-credentials|pgpass|htpasswd|dockercfg)$/,
  /^\.?(?:credentials|secrets?)\.(?:json|ya?ml|toml|ini|env|txt|properties|cfg|conf)$/,
  /^\.?credentials$/,
  /^(?:service[-_]?account|client_secret)[\w.-]*\.json$/,
];
const FOLDERS: ReadonlySet<string> = new Set([".ssh", ".aws", ".gnupg", ".kube"]);
/** Examples without values. */
const EXAMPLES = /\.(?:example|sample|template|dist|defaults?)$/;

/** Returns whether the path's name, or a folder above it, is known for secrets. A folder named `secrets` is not. */
export function hasSecretName(path: string): boolean {
  const parts = path.toLowerCase().split("/");
  const name = parts.at(-1) ?? "";
  if (parts.slice(0, -1).some((part) => FOLDERS.has(part))) return true;
  return !EXAMPLES.test(name) && NAMES.some((one) => one.test(name));
}
