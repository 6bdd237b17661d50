import {
  GENERAL_USAGE,
  print,
  textOf,
  UnconfirmedError,
  UsageError,
  usageOf,
  withUsage,
  type Command,
} from './command'
import { promote } from './promote'
import { serve } from './serve'
import {
  settingsOfCommand,
  settingsOfServer,
  type CommandSettings,
  type CommandEnvironment,
} from './settings'
import { ConfigError, readConfig, type Config } from '../config'
import { KeyError } from '../secrets'
import { BackupError } from '../infra/backup/archive'
import { DatabaseError, storageErrorMessage } from '../infra/db/errors'
import { WrongKeyError } from '../infra/keys/keyring'
import { MigrationError, UnfitDatabaseError } from '../infra/db/migrate'
import { DataDirError } from '../infra/data-dir'
import { fileErrorMessage } from '../lib/file-error'
import { ArchiveError } from '../modules/data/organization-archive/write/problems'
import { ProductImportError } from '../modules/data/product-imports/cli'
import { printable } from '../lib/printable'
import { ListenError } from '../listen'
import { versionText, HELP, commandHelp, commandNamed } from './catalog'
import { readArguments } from './arguments'

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
  ProductImportError,
]

/** Whether a command becomes the server, and does not end by itself. */
const isServer = (command: Command): boolean => [serve, promote].includes(command)

/**
 * Runs the command that the arguments name, with these variables. `begin` is called before it if it
 * ends by itself. Throws what `failureOf` tells.
 */
export async function runCommandLine(
  argv: string[],
  environment: CommandEnvironment,
  begin: () => void = () => undefined,
): Promise<void> {
  const { words, flags } = readArguments(argv)
  const [name, ...rest] = words
  const isJson = flags['json'] === true
  if (flags['version'] === true) return print(versionText(isJson))
  if (flags['help'] === true)
    return print(name === undefined ? HELP : commandHelp(commandNamed(name)))
  const command = commandNamed(name ?? serve.name)
  if (!isServer(command)) begin()
  const readSettings = isServer(command) ? settingsOfServer : settingsOfCommand
  let read: CommandSettings | null = null
  const settings = (): CommandSettings =>
    (read ??= readSettings(environment, textOf(flags, 'env-file')))
  const config = (): Config => {
    const { variables, unknownSecrets, ofEnvFile } = settings()
    return readConfig(variables, unknownSecrets, ofEnvFile)
  }
  const running = withUsage(usageOf(command, rest), () => {
    const surplus = rest[command.words]
    if (surplus !== undefined)
      throw new UsageError(`Too many arguments for "${command.name}": ${surplus}.`)
    return command.run({
      words: rest,
      flags,
      isJson,
      environment,
      config,
      variables: () => settings().variables,
    })
  })
  await (command === serve ? running.catch(refuseStart) : running)
}

/** The server cannot start until a person changes something: exit code 2, as for a wrong setting. */
class RefusedStartError extends Error {
  override readonly name = 'RefusedStartError'
}

/** Errors for which a service manager should not start the server again. */
const LASTING_ERRORS = [KeyError, WrongKeyError, UnfitDatabaseError]

function refuseStart(error: unknown): never {
  if (error instanceof Error && LASTING_ERRORS.some((kind) => error instanceof kind))
    throw new RefusedStartError(error.message, { cause: error })
  throw error
}

/** Errors with exit code 2 that are told without the usage. */
const QUIET_REFUSALS = [ConfigError, UnconfirmedError, RefusedStartError]

/** Returns the exit code of a command that threw this, and what to write to standard error. */
export function failureOf(error: unknown): { code: number; text: string } {
  if (error instanceof UsageError)
    return { code: 2, text: `${error.usage ?? GENERAL_USAGE}\n\n${printable(error.message)}\n` }
  if (QUIET_REFUSALS.some((kind) => error instanceof kind))
    return { code: 2, text: `${printable((error as Error).message)}\n` }
  const isOperatorError = OPERATOR_ERRORS.some((kind) => error instanceof kind)
  const isPlain = isOperatorError || (error instanceof Error && 'httpStatus' in error)
  const message =
    error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : 'failed'
  const told = isOperatorError ? null : (storageErrorMessage(error) ?? fileErrorMessage(error))
  return { code: 1, text: `${printable(told ?? message)}\n` }
}
