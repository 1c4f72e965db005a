/** The oldest Node that has all that the command line uses (zstd since 22.15); package.json names the same one. */
const OLDEST = [22, 15] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `governor: It needs Node ${OLDEST.join('.')} or later; this is Node ${process.versions.node} (${process.execPath}).`,
  );
  // A hook that must not let calls pass unchecked blocks here too.
  process.exit(process.argv.includes('--fail-closed') ? 2 : 1);
}
