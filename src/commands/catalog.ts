import { admin } from './admin'
import { backup } from './backup'
import { helpLines, print, UsageError, type Command } from './command'
import { cells } from './cells'
import { compact } from './compact'
import { demo } from './demo'
import { docs } from './docs'
import { doctor } from './doctor'
import { health } from './health'
import { productImport } from './import'
import { jobs } from './jobs'
import { listen } from './listen'
import { organizations, users } from './list'
import { migrate } from './migrate'
import { monitoring } from './monitoring'
import { openapi } from './openapi'
import { promote } from './promote'
import { recoverySheet } from './recovery-sheet'
import { restore } from './restore'
import { rollback } from './rollback'
import { serve } from './serve'
import { webhook } from './webhook'
import { nearestWord } from '../lib/nearest-word'
import { RELEASE } from '../version'

/** Returns the version, the commit and its date as text or JSON. */
export const versionText = (isJson: boolean): string => {
  const { version, commit } = RELEASE
  const { hash = null, committedAt = null } = commit ?? {}
  if (isJson) return JSON.stringify({ version, commit: hash, committed_at: committedAt })
  return `${version} (commit ${commit ? `${hash}, ${committedAt}` : 'unknown'})`
}

const version: Command = {
  name: 'version',
  forms: [['version', 'print version, commit and date, as --version does']],
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

/** All commands, in the order of the help. */
export const COMMANDS = [
  serve,
  demo,
  migrate,
  admin,
  users,
  organizations,
  productImport,
  webhook,
  listen,
  jobs,
  backup,
  restore,
  rollback,
  recoverySheet,
  promote,
  compact,
  cells,
  doctor,
  health,
  monitoring,
  openapi,
  docs,
  version,
  help,
]

const SETTINGS =
  'Every command accepts --json for machine-readable output. Settings are environment ' +
  'variables; the\nserver lists them at /docs/configure. --env-file FILE reads more of ' +
  'them from a file. If the service\nis running, its settings apply where no others are ' +
  'given.\n\n'

/** Help text of the program. */
export const HELP = `switchboard ${RELEASE.version}

Usage: switchboard [command] [flags]

${helpLines(COMMANDS.flatMap(({ forms }) => forms))}

${SETTINGS}`

/** Returns the help text of a command. */
export const commandHelp = ({ forms, more }: Command): string =>
  `Usage: switchboard COMMAND [flags]\n\n${helpLines(forms)}\n${more === undefined ? '' : `\n${more}\n`}\n${SETTINGS}`

/** Finds a command. Throws UsageError with a suggestion if there is none of this name. */
export function commandNamed(name: string): Command {
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
