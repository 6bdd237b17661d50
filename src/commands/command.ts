import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Config } from '../config'
import { printable } from '../lib/printable'

/** Parsed flags: a text value, or whether a switch is set. */
export type Flags = Record<string, string | boolean | undefined>

/** One run of a command: the arguments after its name, its flags, and access to the process. */
export interface Invocation {
  words: string[]
  flags: Flags
  /** Whether to print machine-readable output. */
  isJson: boolean
  /** The environment of the process alone, for what is no setting of the server. */
  environment: Record<string, string | undefined>
  /** Reads the settings on demand. Throws ConfigError and DataDirError. */
  config: () => Config
  /** Returns the environment variables that the settings come from. */
  variables: () => Record<string, string | undefined>
}

/** A command of the CLI. */
export interface Command {
  name: string
  /** Usage lines with their descriptions, for the help. */
  forms: [usage: string, does: string][]
  /** Additional help text. */
  more?: string
  /** Its flags besides `--json` and `--help`. */
  flags: Record<string, ParseArgsOptionDescriptor>
  /** Maximum number of arguments after its name. */
  words: number
  run(invocation: Invocation): void | Promise<void>
}

/**
 * The command line is invalid: exit code 2. Standard error gets the usage of the command and, as its
 * last line, the message, which is one sentence.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The usage to show; `null` until the command is known. */
  usage: string | null = null
}

/** The command would lose something, and waits for `--yes`: exit code 2, with the message alone. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError'
}

/** Runs `work`. A UsageError that it throws gets this usage unless it has one. */
export async function withUsage<T>(usage: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UsageError) error.usage ??= usage
    throw error
  }
}

/**
 * Prints text to standard output. Terminal control characters are escaped. Nothing happens when nobody
 * reads it any more, as after `| head`: the work goes on.
 */
export function print(text: string): void {
  try {
    process.stdout.write(`${printable(text)}\n`)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EPIPE') throw error
  }
}

/** Prints the data folder that a command works on, unless the output is JSON. */
export function printFolder(path: string, isJson: boolean): void {
  if (!isJson) print(`Data folder: ${path}`)
}

/** Returns the value of a text flag, or `undefined`. */
export const textOf = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns the value of a required text flag. Throws UsageError if it is missing. */
export function requiredText(flags: Flags, name: string): string {
  const value = textOf(flags, name)?.trim()
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing.`)
  return value
}

const GAP = 2
/** Minimum width of a truncated column, unless its title is wider. */
const MIN_WIDTH = 12

/**
 * Formats rows as a plain table with two spaces between columns. In a terminal, the widest columns
 * are truncated until a line fits, except the first, which holds IDs to copy. Output to files and
 * pipes is never truncated.
 */
export function table(head: string[], rows: string[][]): string {
  const { isTTY: isTerminal, columns } = process.stdout
  const lines = [head, ...rows].map((row) =>
    row.map((cell) => printable(cell.replace(/\s+/g, ' '))),
  )
  const fullWidths = head.map((_title, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  )
  const widths = isTerminal ? shrinkWidths(fullWidths, { head, width: columns }) : fullWidths
  return lines
    .map((line) =>
      line
        .map((cell, column) => fitCell(cell, widths[column] ?? 0))
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
    .join('\n')
}

/** Shrinks column widths until a line fits into `width`, if possible. */
function shrinkWidths(
  fullWidths: number[],
  { head, width }: { head: string[]; width: number },
): number[] {
  const widths = [...fullWidths]
  const minWidths = head.map((title, column) =>
    column === 0 ? Infinity : Math.max(MIN_WIDTH, title.length),
  )
  for (
    let excess = widths.reduce((sum, own) => sum + own + GAP, -GAP) - width;
    excess > 0;
    excess -= 1
  ) {
    const [widest] = [...widths.keys()]
      .filter((column) => (widths[column] ?? 0) > (minWidths[column] ?? 0))
      .toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** Pads a cell to its width, or truncates it with an ellipsis. */
function fitCell(cell: string, width: number): string {
  let text = cell
  for (
    const characters = [...cell];
    Bun.stringWidth(text) > width;
    text = `${characters.join('')}…`
  )
    characters.pop()
  return text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
}

/** Formats a time for tables, to the minute. */
export const toMinute = (iso: string | null): string =>
  iso === null ? '' : `${iso.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`

/** Usage of the program, for errors before a command is known. */
export const GENERAL_USAGE = 'Usage: switchboard COMMAND [flags]\nHelp:  switchboard help'

/** Returns the usage of a command, or of its subcommand if the arguments after its name begin with one. */
export function usageOf(
  { name, forms }: Pick<Command, 'name' | 'forms'>,
  [verb = '']: string[],
): string {
  const all = forms.map(([usage]) => usage)
  const ofVerb = all.filter((usage) => `${usage} `.startsWith(`${name} ${verb} `))
  const lines = (ofVerb.length > 0 ? ofVerb : all).map((usage) => `switchboard ${usage}`)
  return `Usage: ${lines.join('\n       ')}\nHelp:  switchboard help ${name}`
}

/** Formats help lines: usage and description. */
export function helpLines(forms: [usage: string, does: string][]): string {
  const width = Math.min(30, Math.max(...forms.map(([usage]) => usage.length)) + 2)
  return forms
    .map(([usage, does]) =>
      usage.length >= width
        ? `  ${usage}\n  ${' '.repeat(width)}${does}`
        : `  ${usage.padEnd(width)}${does}`,
    )
    .join('\n')
}
