// Messages of network libraries about a dead network: Node, undici, Bun, reqwest and hyper, Go, httpx, aiohttp, requests, curl,
// Envoy and proxies. Any program prints these, so they count only as the last words of a program that failed. Pure.
import type { WordTable } from "./table.js";

/** The system's names of what a dead network does. */
const ERRNO = String.raw`(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME|ETIMEDOUT|ESOCKETTIMEDOUT|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPROTO|UND_ERR_\w*TIMEOUT|UND_ERR_SOCKET|ConnectionRefused|FailedToOpenSocket)`;
const HOST = String.raw`(?:https?:\/\/\S+|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?)`;

export const NETWORK: WordTable = {
  of: "network libraries and proxies",
  version:
    "Node 20 to 24, undici 6 and 7, reqwest 0.12, Go 1.22, httpx 0.27, aiohttp 3.10, requests 2.32, curl 8, Envoy 1.30",
  source:
    "issues google-gemini/gemini-cli 5746, anthropics/claude-code 1101 and 8800, openai/codex 10616, tailcallhq/forgecode 3024, " +
    "dataease/SQLBot 41, BerriAI/litellm 17252, openai/openai-python 542, request/request 2471, Jaammerr/The-Dawn-Bot 2, traceloop/openllmetry 954, orhanerday/open-ai 34",
  own: [],
  common: [
    [
      "network",
      [
        String.raw`stream (?:closed|ended) before .{1,40}?`,
        String.raw`error sending request|error (?:while )?reading the server response|(?:stream )?(?:transport|network) error`,
        String.raw`error sending request for url \(.{1,300}?\)(?:: .*)?`,
        String.raw`(?:tcp connect|dns|client) error(?: \(connect\))?(?:: .*)?`,
        String.raw`connection (?:was )?(?:error|refused|failed|dropped|closed|reset|lost|aborted|timed out)(?: by peer| by remote host)?(?: \(os error \d+\))?`,
        String.raw`connection (?:closed|error)(?: before message completed|: .*)`,
        String.raw`fetch failed(?: sending request)?|failed to fetch|socket hang up|premature close|other side closed`,
        String.raw`(?:headers|body|connect) timeout error`,
        String.raw`(?:(?:connect|read|write|send|recv|socket|getaddrinfo|query\w+) )?${ERRNO}\b.*`,
        String.raw`request to ${HOST} failed, reason: .*`,
        String.raw`(?:the )?(?:request|connection|operation|read operation|connect operation|read)(?: was aborted due to)? (?:timed out|timeout)`,
        String.raw`(?:terminated|timeout|aborted)(?=\W*$)`,
        String.raw`(?:temporary failure in name resolution|name or service not known|nodename nor servname provided.*|no address associated with hostname)`,
        String.raw`failed to lookup address information.*|getaddrinfo failed|(?:name|dns) (?:resolution|lookup) (?:failed|failure|error).*`,
        String.raw`(?:could not|couldn't|cannot|unable to|failed to) resolve: ${HOST}.*`,
        String.raw`\(?['"]connection aborted\.?['"], .*`,
        String.raw`(?:could not|couldn't|cannot|unable to|failed to) resolve (?:host address|host|hostname|proxy|address|dns)(?: name)?(?:[: ]+\S+)?`,
        String.raw`(?:the )?network is (?:unreachable|down)|no route to host|host is (?:down|unreachable)`,
        String.raw`(?:could not|couldn't|cannot|unable to|failed to) (?:connect to|reach) (?:host |server |the server at )?${HOST}.*`,
        String.raw`failed to connect to \S+ port \d+.*`,
        String.raw`(?:no|lost|poor) (?:internet|network) connection|(?:it appears )?you(?:'re| are) (?:not connected to the internet|offline)`,
        String.raw`(?:(?:get|post|put) "[^"]{1,300}": )?(?:dial tcp|read tcp|net\/http|http2: |context deadline exceeded|lookup \S+:? ).*`,
        String.raw`httpsconnectionpool\(host='[^']{1,200}', port=\d+\): .*`,
        String.raw`error communicating with openai.*`,
        String.raw`(?:server disconnected|remote end closed connection) without .*|server disconnected`,
        String.raw`peer closed connection without sending complete message body.*|all connection attempts failed`,
        String.raw`(?:\[ssl: unexpected_eof_while_reading\] )?eof occurred in violation of protocol.*`,
        String.raw`(?:please check your firewall rules and network connection then try again\. error code: )?net::err_(?:internet_disconnected|network_\w+|name_\w+|connection_\w+|address_unreachable|timed_out|proxy_connection_failed|tunnel_connection_failed|empty_response|socket_not_connected|ssl_protocol_error)`,
        String.raw`curl: \((?:5|6|7|28|35|52|55|56)\) .*`,
        String.raw`(?:tls|ssl) (?:handshake|connection) (?:timeout|timed out|failed|failure|error|eof|reset).*|(?:handshake failed|unexpected eof (?:while reading|during handshake)).*`,
        String.raw`client network socket disconnected before secure tls connection was established`,
        String.raw`(?:upstream connect error|upstream request timeout).*`,
        String.raw`proxy response \(?50[0-9]\)?.*|tunneling socket could not be established.*(?:cause=|statuscode=50).*`,
        String.raw`(?:connect tunnel failed, response|tunnel connection failed:) 50[0-9].*|proxy connection (?:ended|closed|timed out).*`,
      ],
    ],
  ],
};

/** A certificate that is not accepted is a matter of settings: time does not mend it. */
export const CERTIFICATE =
  /certificate|\bcert\b|CERT_|x509|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS_|hostname\/ip does not match/i;

/** A service of the project's own, or one beside it in a compose file: its absence is not the provider's. */
export const OWN_SERVICE =
  /(?:(?:[\w.\]-]|::1):|\bport )(?:5432|3306|6379|27017|1433|5672|9092|9200|11211|2181)\b|\b(?:ENOTFOUND|EAI_AGAIN|lookup|resolve host:?) (?:db|database|redis|postgres|postgresql|pg|mysql|mariadb|mongo|mongodb|rabbitmq|kafka|elasticsearch|memcached|minio)\b(?!\.)|docker\.sock|\bat https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\])/i;

/** Disks, forges, registries and clouds that a project's own commands use: their limits and refusals are not the model's. */
export const OTHER_SERVICE =
  /\b(?:(?:disk|storage|inode|block) quota|quotaexceedederror: (?:the quota|failed to execute)|registry\.npmjs\.org|npm\.pkg\.github\.com|pypi\.org|files\.pythonhosted\.org|(?:index\.|static\.)?crates\.io|proxy\.golang\.org|rubygems\.org|repo1?\.maven\.[a-z.]+|deb\.debian\.org|archive\.ubuntu\.com|(?:[\w-]+\.)?docker\.(?:io|com)|api\.github\.com|api rate limit exceeded for (?:user|installation)|(?:compute|storage|bigquery|sqladmin|pubsub|sheets|drive|maps|youtube)\.googleapis\.com)\b|\.git\/?'/i;
