import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'
import { OptionError, UsageError, type Command, type Flags } from './command'
import { serve } from './serve'
import { nearestWord } from '../lib/nearest-word'
import { COMMANDS } from './catalog'

/** The options that every command takes. */
export const COMMON_FLAGS: Record<string, ParseArgsOptionDescriptor> = {
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

/** Parses the command line. Throws OptionError for an unknown option, UsageError otherwise. */
export function readArguments(argv: string[]): { words: string[]; flags: Flags } {
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
export function optionError(
  option: string,
  command: Command | null,
  nearest: string | null,
): OptionError {
  const about = command === null ? 'Unknown option' : `The command "${command.name}" has no option`
  const hint = nearest === null ? '' : ` Did you mean --${nearest}?`
  const usage = command?.forms.length === 1 ? command.forms[0]?.[0] : 'COMMAND [flags]'
  return new OptionError(
    `${about} ${option}.${hint} Usage: switchboard ${usage} (see "switchboard help${commandOf(command)}").`,
  )
}

const commandOf = (command: Command | null): string => (command === null ? '' : ` ${command.name}`)
