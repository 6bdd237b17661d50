import { statSync } from 'node:fs'

import { SECOND_MS } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import { INSTALLATION, systemCtx, type Deps } from '../../../infra/ctx'
import type { OrganizationImportView } from './model'
import { getImport } from './queries'
import { runImport } from './run/job'
import { importFrom } from './start'
import { organizationImportView } from './view'

/** An archive named on the command line. */
interface NamedArchive {
  path: string
  passphrase: string | null
  isDryRun: boolean
}

/**
 * Checks the archive at a path, and imports it unless this is a dry run. With `isAlone`, no server
 * runs and this process does the work; otherwise it waits for the server. Throws the errors of an
 * import, and NotFoundError without a file.
 */
export async function importArchive(
  deps: Deps,
  { path, passphrase, isDryRun }: NamedArchive,
  isAlone: boolean,
): Promise<OrganizationImportView> {
  if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false))
    throw new NotFoundError(`The file ${path}`)
  const ctx = systemCtx(deps, INSTALLATION)
  const { id } = await importFrom(ctx, {
    ...{ passphrase, isDryRun },
    ...{ readPath: path, archivePath: path, file: null, filename: path },
  })
  for (;;) {
    const view = organizationImportView(getImport(deps, id))
    if (view.state !== 'checking' && view.state !== 'running') return view
    if (isAlone)
      await runImport(
        {
          ...ctx,
          ...{ jobId: id, attempt: 1, isLastAttempt: true, gateKey: '' },
          signal: new AbortController().signal,
        },
        id,
      )
    else await Bun.sleep(SECOND_MS)
  }
}
