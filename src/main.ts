import { GENERAL_USAGE, print, textOf, UsageError, usageOf, withUsage } from './commands/command'
import { promote } from './commands/promote'
import { serve } from './commands/serve'
import { settingsOfCommand, settingsOfServer, type CommandSettings } from './commands/settings'
import { ConfigError, readConfig, type Config } from './config'
import { READ_DOCUMENT } from './document-command'
import { KeyError } from './secrets'
import { BackupError } from './infra/backup/archive'
import { DatabaseError, storageErrorMessage } from './infra/db/errors'
import { WrongKeyError } from './infra/keys/keyring'
import { MigrationError } from './infra/db/migrate'
import { DataDirError } from './infra/data-dir'
import { fileErrorMessage } from './lib/file-error'
import { ArchiveError } from './modules/data/organization-archive/write/problems'
import { printable } from './lib/printable'
import { ListenError } from './listen'
import { versionText, HELP, commandHelp, commandNamed } from './commands/catalog'
import { readArguments } from './commands/arguments'

/** Errors whose message is one sentence that the operator can act on. */
const OPERATOR_ERRORS = [
  ArchiveError,
  BackupError,
  DataDirError,
  DatabaseError,
  MigrationError,
  KeyError,
  WrongKeyError,
  ListenError,
]

async function run(argv: string[]): Promise<void> {
  if (argv[0] === READ_DOCUMENT) return void (await import('./document-reader'))
  const { words, flags } = readArguments(argv)
  const [name, ...rest] = words
  const isJson = flags['json'] === true
  if (flags['version'] === true) return print(versionText(isJson))
  if (flags['help'] === true)
    return print(name === undefined ? HELP : commandHelp(commandNamed(name)))
  const command = commandNamed(name ?? serve.name)
  // The executable is built for a quick start of the server, which does this when it listens.
  if (![serve, promote].includes(command)) Bun.unsafe.setJITPolicy(1)
  const readSettings = [serve, promote].includes(command) ? settingsOfServer : settingsOfCommand
  let read: CommandSettings | null = null
  const settings = (): CommandSettings =>
    (read ??= readSettings(process.env, textOf(flags, 'env-file')))
  const config = (): Config => readConfig(settings().variables, settings().unknownSecrets)
  await withUsage(usageOf(command, rest), () => {
    const surplus = rest[command.words]
    if (surplus !== undefined)
      throw new UsageError(`Too many arguments for "${command.name}": ${surplus}.`)
    return command.run({
      words: rest,
      flags,
      isJson,
      config,
      variables: () => settings().variables,
    })
  })
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.usage ?? GENERAL_USAGE}\n\n${printable(error.message)}\n`)
    return 2
  }
  if (error instanceof ConfigError) {
    process.stderr.write(`${printable(error.message)}\n`)
    return 2
  }
  const isOperatorError = OPERATOR_ERRORS.some((kind) => error instanceof kind)
  const isPlain = isOperatorError || (error instanceof Error && 'httpStatus' in error)
  const message =
    error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : 'failed'
  process.stderr.write(
    `${printable((isOperatorError ? null : (storageErrorMessage(error) ?? fileErrorMessage(error))) ?? message)}\n`,
  )
  return 1
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.exit(exitCodeOf(error))
}
