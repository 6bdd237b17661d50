import { resolve } from 'node:path'

import { AppError } from '../lib/errors'
import { DataDirError, lockDataDir, openInstallation } from '../infra/data-dir'
import { importArchive } from '../modules/organization-import/cli'
import type { OrganizationImportView } from '../modules/organization-import/model'
import { withProgram } from './database'
import { print, table, UsageError, type Invocation } from './command'

/** Reads the piped or typed passphrase without the line end. Throws UsageError if it is empty. */
async function passphraseFromInput(): Promise<string> {
  const passphrase = (await Bun.stdin.text()).replace(/\r?\n$/, '')
  if (passphrase === '') throw new UsageError('--passphrase-stdin: standard input is empty')
  return passphrase
}

/**
 * Checks an archive of an organization, and imports it with `--yes`. A running server does the work;
 * without one, this process does.
 */
export async function importOrganization(invocation: Invocation, file: string): Promise<void> {
  const { flags, isJson } = invocation
  const passphrase = flags['passphrase-stdin'] === true ? await passphraseFromInput() : null
  const isDryRun = flags['yes'] !== true
  const view = await withProgram(invocation, async ({ http }, settings) => {
    const lock = lockOrNull(settings.dataDir)
    try {
      return await importArchive(http, { path: resolve(file), passphrase, isDryRun }, lock !== null)
    } finally {
      lock?.release()
    }
  })
  if (isJson) print(JSON.stringify(view))
  else print(textOf(view))
  if (view.error) throw new AppError(400, view.error.message, { code: view.error.code })
}

/** Returns the lock of the data folder, or `null` while a server runs. */
export function lockOrNull(dataDir: string): { release: () => void } | null {
  try {
    return lockDataDir(openInstallation(resolve(dataDir)))
  } catch (error) {
    if (error instanceof DataDirError) return null
    throw error
  }
}

function textOf(view: OrganizationImportView): string {
  const { organization, counts, conflicts, state } = view
  const rows = Object.entries(counts).filter(([, count]) => count > 0)
  return [
    `Organization: ${organization?.name ?? ''} (${organization?.id ?? ''})`,
    table(
      ['table', 'rows'],
      rows.map(([name, count]) => [name, String(count)]),
    ),
    ...conflicts.map(({ message }) => `Conflict: ${message}`),
    state === 'checked'
      ? 'The archive is complete. Nothing was imported; pass --yes to import it.'
      : state === 'completed'
        ? 'The organization is imported.'
        : `The import has the state ${state}.`,
  ].join('\n')
}
