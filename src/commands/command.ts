import type { ParseArgsOptionDescriptor } from 'node:util'

import type { Config } from '../config'
import { printable } from '../lib/printable'

/** Values of flags as they were given: text, or whether a switch is on. */
export type Flags = Record<string, string | boolean | undefined>

/**
 * One run of a command: its words after the command's name, its flags, and what it needs of the
 * process.
 */
export interface Invocation {
  words: string[]
  flags: Flags
  /** Whether the answer is to be machine-readable. */
  isJson: boolean
  /** The settings, read when they are asked for. Throws ConfigError and DataDirError. */
  config: () => Config
  /** The variables the settings are read from. */
  variables: () => Record<string, string | undefined>
}

/** A command of the command line. */
export interface Command {
  name: string
  /** Each form it is called in, and what that does, as the help shows them. */
  forms: [usage: string, does: string][]
  /** What its own help says beside its forms. */
  more?: string
  /** The flags it takes beside `--json` and `--help`. */
  flags: Record<string, ParseArgsOptionDescriptor>
  /** How many words may follow its name. */
  words: number
  run(invocation: Invocation): void | Promise<void>
}

/** The command line was not understood: exit code 2, help on standard error. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An option is unknown. The message is one line that says how to call the command; exit code 2. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/**
 * Prints a line, or several, to standard output, with signs that a terminal would obey spelled out.
 */
export const say = (text: string): void => {
  process.stdout.write(`${printable(text)}\n`)
}

/**
 * Says which data folder a command works on, as its first line; not where a program reads the
 * answer.
 */
export function nameFolder(path: string, isJson: boolean): void {
  if (!isJson) say(`Data folder: ${path}`)
}

/** The value of a text flag; `undefined` when it was not given. */
export const textOf = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** The value of a text flag that must be there. Throws UsageError. */
export function requiredText(flags: Flags, name: string): string {
  const value = textOf(flags, name)?.trim()
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

const GAP = 2
/** No column is cut to less than this, or than its title. */
const MIN_WIDTH = 12

/**
 * Rows as a plain table: columns as wide as their longest cell, two spaces between them. In a
 * terminal the widest cells are cut until a line fits, but never the first ones, which are ids to
 * be copied; what goes into a file or another program is whole.
 */
export function table(head: string[], rows: string[][]): string {
  const { isTTY: isTerminal, columns } = process.stdout
  const lines = [head, ...rows].map((row) =>
    row.map((cell) => printable(cell.replace(/\s+/g, ' '))),
  )
  const natural = head.map((_title, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  )
  const widths = isTerminal ? narrowed(natural, { head, width: columns }) : natural
  return lines
    .map((line) =>
      line
        .map((cell, column) => fitted(cell, widths[column] ?? 0))
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
    .join('\n')
}

/** Widths of columns with which a line is no longer than `width`, if they can be. */
function narrowed(natural: number[], { head, width }: { head: string[]; width: number }): number[] {
  const widths = [...natural]
  const least = head.map((title, column) =>
    column === 0 ? Infinity : Math.max(MIN_WIDTH, title.length),
  )
  for (let over = widths.reduce((sum, own) => sum + own + GAP, -GAP) - width; over > 0; over -= 1) {
    const [widest] = [...widths.keys()]
      .filter((column) => (widths[column] ?? 0) > (least[column] ?? 0))
      .toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** A cell with spaces behind it, or cut with an ellipsis. */
function fitted(cell: string, width: number): string {
  let text = cell
  for (const signs = [...cell]; Bun.stringWidth(text) > width; text = `${signs.join('')}…`)
    signs.pop()
  return text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
}

/** A moment as tables show it: to the minute. */
export const toMinute = (iso: string | null): string =>
  iso === null ? '' : `${iso.slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`

/** Lines of a help text: what is typed, and what it does. */
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
