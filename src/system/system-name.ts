/** The operating system and processor this program runs on: "linux x64". */
export function getSystemName(): string {
  return `${process.platform} ${process.arch}`;
}
