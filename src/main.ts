import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'

import { admin } from './commands/admin'
import { backup } from './commands/backup'
import { helpLines, say, UsageError, type Command, type Flags } from './commands/command'
import { doctor } from './commands/doctor'
import { health } from './commands/health'
import { jobs } from './commands/jobs'
import { organizations, users } from './commands/lists'
import { migrate } from './commands/migrate'
import { openapi } from './commands/openapi'
import { restore } from './commands/restore'
import { serve } from './commands/serve'
import { webhook } from './commands/webhook'
import { ConfigError, readConfig } from './config'
import { KeyError } from './container'
import { BackupError } from './infra/backup/archive'
import { DatabaseError, troubleIn } from './infra/db'
import { WrongKeyError } from './infra/keys/keyring'
import { MigrationError } from './infra/migrate'
import { DataDirError } from './infra/storage-dir'
import { printable } from './lib/printable'
import { FirstAdminError } from './modules/users/first-start'
import { ListenError } from './server'
import { VERSION } from './version'

const version: Command = {
  name: 'version',
  forms: [['version', 'version of the program']],
  flags: {},
  words: 0,
  run: ({ isJson }) => say(isJson ? JSON.stringify({ version: VERSION }) : VERSION),
}

const help: Command = {
  name: 'help',
  forms: [['help [COMMAND]', 'this text, or what a command takes']],
  flags: {},
  words: 1,
  run: ({ words }) => say(words[0] === undefined ? HELP : helpOf(commandNamed(words[0]))),
}

const COMMANDS = [serve, migrate, admin, users, organizations, webhook, jobs, backup, restore, doctor, health, openapi, version, help]

const SETTINGS = 'Every command takes --json for machine-readable output. Settings are environment variables; the README lists them.\n'

const HELP = `switchboard ${VERSION}

Usage: switchboard [command] [flags]

${helpLines(COMMANDS.flatMap(({ forms }) => forms))}

${SETTINGS}`

const helpOf = ({ forms, more }: Command): string =>
  `Usage: switchboard COMMAND [flags]\n\n${helpLines(forms)}\n${more === undefined ? '' : `\n${more}\n`}\n${SETTINGS}`

/** Errors whose message is one sentence for the operator. */
const SENTENCES = [BackupError, DataDirError, DatabaseError, MigrationError, KeyError, WrongKeyError, FirstAdminError, ListenError]

/** The flags of all commands: which belong to the command that is called is looked at afterwards. */
const FLAGS: Record<string, ParseArgsOptionDescriptor> = Object.assign(
  { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  ...COMMANDS.map(({ flags }) => flags),
)

function readArguments(argv: string[]): { words: string[]; flags: Flags } {
  try {
    const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: FLAGS })
    return { words: positionals, flags: values as Flags } // no flag may be given several times
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the arguments are not understood')
  }
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((known) => known.name === name)
  if (!command) throw new UsageError(`there is no command ${name}`)
  return command
}

async function run(argv: string[]): Promise<void> {
  const { words, flags } = readArguments(argv)
  const [name, ...rest] = words
  if (flags['help'] === true) return say(name === undefined ? HELP : helpOf(commandNamed(name)))
  const command = commandNamed(name ?? 'serve')
  const surplus = rest[command.words]
  if (surplus !== undefined) throw new UsageError(`the command ${command.name} takes no ${surplus}`)
  const foreign = Object.keys(flags).find((flag) => flag !== 'json' && !(flag in command.flags))
  if (foreign !== undefined) throw new UsageError(`the command ${command.name} takes no --${foreign}`)
  await command.run({ words: rest, flags, isJson: flags['json'] === true, config: () => readConfig(process.env) })
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${printable(error.message)}\n\n${HELP}`)
    return 2
  }
  if (error instanceof ConfigError) {
    process.stderr.write(`${printable(error.message)}\n`)
    return 2
  }
  const isSentence = SENTENCES.some((kind) => error instanceof kind)
  const isPlain = isSentence || (error instanceof Error && ('httpStatus' in error || 'syscall' in error))
  const told = error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : 'failed'
  process.stderr.write(`${printable((isSentence ? null : troubleIn(error)) ?? told)}\n`)
  return 1
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.exit(exitCodeOf(error))
}
