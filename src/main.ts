import { failureOf, runCommandLine } from './commands/run'
import { READ_DOCUMENT } from './document-command'

const argv = process.argv.slice(2)
try {
  if (argv[0] === READ_DOCUMENT) await import('./document-reader')
  // The executable is built for a quick start of the server, which does this when it listens.
  else await runCommandLine(argv, process.env, () => Bun.unsafe.setJITPolicy(1))
} catch (error) {
  const { code, text } = failureOf(error)
  process.stderr.write(text)
  process.exit(code)
}
