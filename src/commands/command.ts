import type { ParseArgsOptionDescriptor } from 'node:util'

import type { Config } from '../config'

/** Values of flags as they were given: text, or whether a switch is on. */
export type Flags = Record<string, string | boolean | undefined>

/** One run of a command: its words after the command's name, its flags, and what it needs of the process. */
export interface Invocation {
  words: string[]
  flags: Flags
  /** Whether the answer is to be machine-readable. */
  isJson: boolean
  /** The settings, read from the environment when they are asked for. Throws ConfigError. */
  config: () => Config
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

/** Prints a line, or several, to standard output. */
export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
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

/** Rows as a plain table: columns as wide as their longest cell, two spaces between them. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), title.length))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Lines of a help text: what is typed, and what it does. */
export function helpLines(forms: [usage: string, does: string][]): string {
  const width = Math.min(30, Math.max(...forms.map(([usage]) => usage.length)) + 2)
  return forms
    .map(([usage, does]) => (usage.length >= width ? `  ${usage}\n  ${' '.repeat(width)}${does}` : `  ${usage.padEnd(width)}${does}`))
    .join('\n')
}
