import { readCommandVariable } from '../config'
import { UsageError, type Invocation } from './command'

/**
 * Reads a secret that was typed or piped, without the line end. `option` is the one that asks for it.
 * Throws UsageError if the input is empty.
 */
export async function secretFromInput(option: string): Promise<string> {
  const secret = (await Bun.stdin.text()).replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`--${option}: standard input is empty.`)
  return secret
}

/**
 * Returns the passphrase of an archive: from standard input with `--passphrase-stdin`, otherwise of
 * `ARCHIVE_PASSPHRASE`; `null` without one. Throws UsageError if the input is empty, and ConfigError.
 */
export async function passphraseOf({ flags, variables }: Invocation): Promise<string | null> {
  if (flags['passphrase-stdin'] === true) return await secretFromInput('passphrase-stdin')
  return readCommandVariable(variables(), 'ARCHIVE_PASSPHRASE')
}
