import { resolve } from 'node:path'

import { AppError } from '../lib/errors'
import { DataDirError, lockDataDir, openInstallation } from '../infra/data-dir'
import { importArchive } from '../modules/data/organization-import/cli'
import type { OrganizationImportView } from '../modules/data/organization-import/model'
import { ArchiveError } from '../modules/data/organization-archive/write/problems'
import { withProgram } from './database'
import { passphraseOf } from './input'
import { print, table, type Invocation } from './command'

/**
 * Checks an archive of an organization, and imports it with `--yes`. A running server does the work;
 * without one, this process does.
 */
export async function importOrganization(invocation: Invocation, file: string): Promise<void> {
  const { flags, isJson } = invocation
  const passphrase = await passphraseOf(invocation)
  const isDryRun = flags['yes'] !== true
  const view = await withProgram(invocation, async ({ http }, settings) => {
    const lock = lockOrNull(settings.dataDir)
    try {
      return await importArchive(http, { path: resolve(file), passphrase, isDryRun }, lock !== null)
    } catch (error) {
      throw needsPassphrase(error) ? new ArchiveError(NO_PASSPHRASE) : error
    } finally {
      lock?.release()
    }
  })
  if (isJson) print(JSON.stringify(view))
  else print(textOf(view))
  if (view.error) throw new AppError(400, view.error.message, { code: view.error.code })
}

const NO_PASSPHRASE =
  'The archive contains encrypted secrets. Set ARCHIVE_PASSPHRASE, or pipe the passphrase to ' +
  '--passphrase-stdin.'

/** Whether an import failed because no passphrase was given. */
const needsPassphrase = (error: unknown): boolean =>
  error instanceof AppError && error.errors?.some(({ path }) => path === 'body.passphrase') === true

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
