import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'

import { admin } from './commands/admin'
import { backup } from './commands/backup'
import {
  helpLines,
  OptionError,
  print,
  textOf,
  UsageError,
  type Command,
  type Flags,
} from './commands/command'
import { doctor } from './commands/doctor'
import { health } from './commands/health'
import { jobs } from './commands/jobs'
import { organizations, users } from './commands/list'
import { migrate } from './commands/migrate'
import { openapi } from './commands/openapi'
import { restore } from './commands/restore'
import { serve } from './commands/serve'
import { settingsOfCommand, settingsOfServer, type CommandSettings } from './commands/settings'
import { webhook } from './commands/webhook'
import { ConfigError, readConfig, type Config } from './config'
import { KeyError } from './container'
import { BackupError } from './infra/backup/archive'
import { DatabaseError, troubleIn } from './infra/db/errors'
import { WrongKeyError } from './infra/keys/keyring'
import { MigrationError } from './infra/db/migrate'
import { DataDirError } from './infra/data-dir'
import { fileErrorMessage } from './lib/file-error'
import { nearestWord } from './lib/nearest-word'
import { printable } from './lib/printable'
import { ListenError } from './server'
import { VERSION } from './version'

const versionText = (isJson: boolean): string =>
  isJson ? JSON.stringify({ version: VERSION }) : VERSION

const version: Command = {
  name: 'version',
  forms: [['version, --version', 'print the version']],
  flags: {},
  words: 0,
  run: ({ isJson }) => print(versionText(isJson)),
}

const help: Command = {
  name: 'help',
  forms: [['help [COMMAND]', 'show this text, or the help of a command']],
  flags: {},
  words: 1,
  run: ({ words }) => print(words[0] === undefined ? HELP : commandHelp(commandNamed(words[0]))),
}

const COMMANDS = [
  serve,
  migrate,
  admin,
  users,
  organizations,
  webhook,
  jobs,
  backup,
  restore,
  doctor,
  health,
  openapi,
  version,
  help,
]

const SETTINGS =
  'Every command accepts --json for machine-readable output. Settings are environment ' +
  'variables; the\nserver lists them at /docs/configure. --env-file FILE reads more of ' +
  'them from a file. If the service\nis running, its settings apply where no others are ' +
  'given.\n\n'

const HELP = `switchboard ${VERSION}

Usage: switchboard [command] [flags]

${helpLines(COMMANDS.flatMap(({ forms }) => forms))}

${SETTINGS}`

const commandHelp = ({ forms, more }: Command): string =>
  `Usage: switchboard COMMAND [flags]\n\n${helpLines(forms)}\n${more === undefined ? '' : `\n${more}\n`}\n${SETTINGS}`

/** Errors whose message is one sentence that the operator can act on. */
const OPERATOR_ERRORS = [
  BackupError,
  DataDirError,
  DatabaseError,
  MigrationError,
  KeyError,
  WrongKeyError,
  ListenError,
]

/** The options that every command takes. */
const COMMON_FLAGS: Record<string, ParseArgsOptionDescriptor> = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  'env-file': { type: 'string' },
}

/** Options of all commands together. `run` checks which of them the called command accepts. */
const FLAGS: Record<string, ParseArgsOptionDescriptor> = Object.assign(
  {},
  COMMON_FLAGS,
  ...COMMANDS.map(({ flags }) => flags),
)

function readArguments(argv: string[]): { words: string[]; flags: Flags } {
  refuseUnknownOptions(argv)
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: FLAGS,
    })
    return { words: positionals, flags: values as Flags } // parseArgs types repeatable flags as arrays; none of ours is repeatable
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'invalid arguments')
  }
}

/** Throws OptionError for the first option that no command has. */
function refuseUnknownOptions(argv: string[]): void {
  const { tokens, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: FLAGS,
    strict: false,
    tokens: true,
  })
  const unknown = tokens.find((token) => token.kind === 'option' && !(token.name in FLAGS))
  if (unknown?.kind !== 'option') return
  const command = COMMANDS.find(({ name }) => name === (positionals[0] ?? serve.name)) ?? null
  const nearestOfCommand = nearestWord(
    unknown.name,
    Object.keys({ ...command?.flags, ...COMMON_FLAGS }),
  )
  throw optionError(
    unknown.rawName,
    command,
    nearestOfCommand ?? nearestWord(unknown.name, Object.keys(FLAGS)),
  )
}

/**
 * Builds the error for an unknown option. It suggests the most similar option and shows the usage
 * of the command.
 */
function optionError(option: string, command: Command | null, nearest: string | null): OptionError {
  const about = command === null ? 'Unknown option' : `The command "${command.name}" has no option`
  const hint = nearest === null ? '' : ` Did you mean --${nearest}?`
  const usage = command?.forms.length === 1 ? command.forms[0]?.[0] : 'COMMAND [flags]'
  return new OptionError(
    `${about} ${option}.${hint} Usage: switchboard ${usage} (see "switchboard help${commandOf(command)}").`,
  )
}

const commandOf = (command: Command | null): string => (command === null ? '' : ` ${command.name}`)

function commandNamed(name: string): Command {
  const command = COMMANDS.find((known) => known.name === name)
  if (command) return command
  const nearest = nearestWord(
    name,
    COMMANDS.map((known) => known.name),
  )
  throw new UsageError(
    `Unknown command "${name}".${nearest === null ? '' : ` Did you mean ${nearest}?`}`,
  )
}

async function run(argv: string[]): Promise<void> {
  const { words, flags } = readArguments(argv)
  const [name, ...rest] = words
  const isJson = flags['json'] === true
  if (flags['version'] === true) return print(versionText(isJson))
  if (flags['help'] === true)
    return print(name === undefined ? HELP : commandHelp(commandNamed(name)))
  const command = commandNamed(name ?? serve.name)
  const surplus = rest[command.words]
  if (surplus !== undefined)
    throw new UsageError(`too many arguments for "${command.name}": ${surplus}`)
  const unknownFlag = Object.keys(flags).find(
    (flag) => !(flag in COMMON_FLAGS) && !(flag in command.flags),
  )
  if (unknownFlag !== undefined)
    throw optionError(
      `--${unknownFlag}`,
      command,
      nearestWord(unknownFlag, Object.keys(command.flags)),
    )
  const readSettings = command === serve ? settingsOfServer : settingsOfCommand
  const settings = (): CommandSettings => readSettings(process.env, textOf(flags, 'env-file'))
  const config = (): Config => readConfig(settings().variables, settings().unknownSecrets)
  await command.run({ words: rest, flags, isJson, config, variables: () => settings().variables })
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${printable(error.message)}\n\n${HELP}`)
    return 2
  }
  if (error instanceof ConfigError || error instanceof OptionError) {
    process.stderr.write(`${printable(error.message)}\n`)
    return 2
  }
  const isOperatorError = OPERATOR_ERRORS.some((kind) => error instanceof kind)
  const isPlain = isOperatorError || (error instanceof Error && 'httpStatus' in error)
  const message =
    error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : 'failed'
  process.stderr.write(
    `${printable((isOperatorError ? null : (troubleIn(error) ?? fileErrorMessage(error))) ?? message)}\n`,
  )
  return 1
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.exit(exitCodeOf(error))
}
