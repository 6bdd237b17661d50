import { randomBytes } from 'node:crypto'

import { InvalidError } from '../../../lib/errors'
import { systemCtx, type Deps } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { recordAudit } from '../../organization/audit/record'
import { getOrganization } from '../../organization/organizations/service'
import { createArchiveKey } from './archive-secrets'
import { MIN_PASSPHRASE } from './model'
import type { ArchiveFacts } from './write/order'
import { ArchiveError } from './write/problems'

/** An archive that the operator wants. */
interface OperatorWish {
  organizationId: string
  target: string
  passphrase: string | null
  hasFiles: boolean
}

/**
 * Writes the archive of an organization to a file of the operator, with password hashes of all
 * members if there is a passphrase. For the command line. Throws NotFoundError, InvalidError and
 * ArchiveError.
 */
export async function exportOrganization(
  deps: Deps,
  { organizationId, target, passphrase, hasFiles }: OperatorWish,
): Promise<ArchiveFacts> {
  if (passphrase !== null && passphrase.length < MIN_PASSPHRASE)
    throw new InvalidError(`The passphrase must have at least ${MIN_PASSPHRASE} characters.`)
  const ctx = systemCtx(deps, organizationId)
  const { name } = getOrganization(ctx)
  const written = await deps.archives.write(
    {
      ...{ target, organizationId, hasFiles, credentials: 'all', isMove: false },
      filesFolder: deps.files.folder,
      nowMs: deps.clock.nowMs(),
      productVersion: deps.version,
      tables: deps.tables,
      key: passphrase === null ? null : await createArchiveKey(passphrase, randomBytes),
    },
    new AbortController().signal,
  )
  if ('problem' in written) throw new ArchiveError(written.problem)
  transact(deps.db, (tx) =>
    recordAudit(tx, ctx, {
      action: 'exported',
      resourceType: 'organization',
      resourceId: organizationId,
      resourceName: name,
    }),
  )
  return written
}
