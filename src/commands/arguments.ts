import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'
import { usageOf, UsageError, type Command, type Flags } from './command'
import { serve } from './serve'
import { nearestWord } from '../lib/nearest-word'
import { COMMANDS } from './catalog'

/** The options that every command takes. */
const COMMON_FLAGS: Record<string, ParseArgsOptionDescriptor> = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  'env-file': { type: 'string' },
}

/** Options of all commands together, without which their values cannot be told from words. */
const FLAGS: Record<string, ParseArgsOptionDescriptor> = Object.assign(
  {},
  COMMON_FLAGS,
  ...COMMANDS.map(({ flags }) => flags),
)

/** Parses the command line. Throws UsageError for an option that the command does not have. */
export function readArguments(argv: string[]): { words: string[]; flags: Flags } {
  const options = { args: argv, allowPositionals: true, options: FLAGS }
  const { tokens, positionals } = parseArgs({ ...options, strict: false, tokens: true })
  const [name = serve.name, ...rest] = positionals
  const command = COMMANDS.find((known) => known.name === name) ?? null
  const given = tokens.filter((token) => token.kind === 'option')
  const problem = given.map((token) => problemOf(token, command)).find((found) => found !== null)
  if (problem === undefined) {
    const { values } = parseArgs(options)
    return { words: positionals, flags: values as Flags } // parseArgs types repeatable flags as arrays; none of ours is repeatable
  }
  const error = new UsageError(problem)
  if (command) error.usage = usageOf(command, rest)
  throw error
}

/** An option as it was written. */
interface GivenOption {
  name: string
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

/** Returns what is wrong with an option of a command in one sentence, or `null`. */
function problemOf(option: GivenOption, command: Command | null): string | null {
  const { name, rawName, value, inlineValue } = option
  const known = command === null ? FLAGS : { ...command.flags, ...COMMON_FLAGS }
  const type = known[name]?.type
  if (type === undefined) {
    const nearest = nearestWord(name, Object.keys(known))
    const about =
      command === null ? 'Unknown option' : `The command "${command.name}" has no option`
    return `${about} ${rawName}.${nearest === null ? '' : ` Did you mean --${nearest}?`}`
  }
  if (type === 'boolean') return value === undefined ? null : `${rawName} takes no value.`
  const isNext = inlineValue !== true && value?.startsWith('-') === true
  return value === undefined || isNext ? `${rawName} needs a value.` : null
}
