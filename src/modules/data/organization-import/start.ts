import { eq } from 'drizzle-orm'

import { ConflictError, InvalidError } from '../../../lib/errors'
import { INSTALLATION, systemCtx, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import { enqueue } from '../../../infra/jobs/enqueue'
import { recordAudit } from '../../organization/audit/record'
import type { ArchiveManifest } from '../organization-archive/archive-format'
import { requireFreshLogin } from '../../organization/auth/fresh-login'
import { Archive } from './archive/archive'
import { openSecrets } from './archive/secrets'
import { pathBelowIncoming, sealKey } from './archive-file'
import { conflictError } from './conflict-error'
import { COMMITTABLE_MS } from './expire'
import { ImportOrganization } from './jobs'
import { isBlocking, judgeArchive, type Judgment } from './judge'
import type { OrganizationImportView } from './model'
import { findImport, findMoveImport, getImport, liveImport } from './queries'
import { organizationImports } from './table'
import { endImportIn } from './undo'
import { organizationImportView, type OrganizationImportRow } from './view'

/** How long a request waits for the check of its archive. A job continues with larger ones. */
const CHECK_MS = 20_000

/** Where an archive is. */
export interface ArchiveSource {
  /** An uploaded one. */
  file?: StagedFile | undefined
  /** A name in the folder for incoming files. */
  path?: string | undefined
  passphrase?: string | undefined
  isDryRun: boolean
}

/**
 * Checks an archive, and imports it unless this is a dry run. Nothing is written if the archive is
 * not valid. Throws ForbiddenError `fresh_login_required`, ArchiveFault, InvalidError,
 * ConflictError `import_running` or `organization_exists`.
 */
export async function startImport(
  ctx: Ctx,
  source: ArchiveSource,
): Promise<OrganizationImportView> {
  requireFreshLogin(ctx)
  const { file, path } = source
  if ((file === undefined) === (path === undefined))
    throw new InvalidError('Send either `file` or `path`.', { code: 'invalid_input' })
  const archivePath = path === undefined ? null : pathBelowIncoming(ctx, path)
  return importFrom(ctx, {
    ...{ archivePath, file: file ?? null },
    readPath: archivePath ?? file?.path ?? '',
    filename: file?.facts.filename ?? path ?? null,
    passphrase: source.passphrase ?? null,
    isDryRun: source.isDryRun,
  })
}

/** An archive that can be read. */
export interface ReadableArchive {
  readPath: string
  /** The path to read it from later; `null` for a file that is kept. */
  archivePath: string | null
  file: StagedFile | null
  filename: string | null
  passphrase: string | null
  isDryRun: boolean
}

/** Like `startImport`, for an archive that the caller may read. */
export async function importFrom(ctx: Ctx, from: ReadableArchive): Promise<OrganizationImportView> {
  requireNoneRunning(ctx)
  const { manifest, digest, key, judgment } = await checkInTime(ctx, from)
  const blocking = judgment?.conflicts.find(isBlocking)
  if (blocking && !from.isDryRun) throw conflictError(blocking)
  const archiveFile = from.file === null ? null : await ctx.files.keep(from.file)
  try {
    return transact(ctx.db, (tx) => {
      requireNoneRunning(ctx)
      return insertIn(tx, ctx, { ...from, archiveFile, manifest, digest, key, judgment })
    })
  } catch (error) {
    if (archiveFile !== null) await ctx.files.remove(archiveFile)
    throw error
  }
}

/** Throws ConflictError `import_running` while another import runs, or is the next one. */
function requireNoneRunning(ctx: Ctx, moveId: string | null = null): void {
  if (liveImport(ctx) || ctx.nextImport.isKept(ctx, moveId))
    throw new ConflictError('Another organization is being imported. Try again when it is done.', {
      code: 'import_running',
    })
}

interface Checked {
  manifest: ArchiveManifest
  digest: string
  key: Buffer | null
  /** `null` if the archive is too large to be checked while the request waits. */
  judgment: Judgment | null
}

const factsOf = ({ manifest, digest, secrets }: Archive): Omit<Checked, 'judgment'> => ({
  ...{ manifest, digest },
  key: secrets.key,
})

async function checkInTime(ctx: Ctx, from: ReadableArchive): Promise<Checked> {
  const archive = await Archive.open(ctx, from.readPath, (manifest) =>
    openSecrets(manifest, from.passphrase),
  )
  const signal = AbortSignal.timeout(CHECK_MS)
  try {
    const judgment = await judgeArchive(ctx, archive, { signal, isMove: false })
    return { ...factsOf(archive), judgment }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
    return { ...factsOf(archive), judgment: null }
  } finally {
    archive.close()
  }
}

/** The archive of an organization that moves here. */
export interface MovingArchive {
  moveId: string
  /** The cell it comes from. */
  cell: string
  organizationId: string
  path: string
  passphrase: string
}

/**
 * Starts the import of an organization that moves here, unless it was started before. It stops before
 * its last step. Throws ArchiveFault, and ConflictError `import_running`.
 */
export async function importFromCell(ctx: Ctx, from: MovingArchive): Promise<void> {
  if (findMoveImport(ctx, from.moveId)) return
  requireNoneRunning(ctx, from.moveId)
  const archive = await Archive.open(
    ctx,
    from.path,
    (manifest) => openSecrets(manifest, from.passphrase),
    { isMove: true },
  )
  archive.close()
  const { manifest } = archive
  if (manifest.organization.id !== from.organizationId)
    throw new InvalidError('The archive is of another organization.', { code: 'archive_invalid' })
  transact(ctx.db, (tx) => {
    if (findMoveImport(ctx, from.moveId)) return
    requireNoneRunning(ctx, from.moveId)
    insertIn(tx, ctx, {
      ...factsOf(archive),
      ...{ judgment: null, isDryRun: false },
      ...{ file: null, archiveFile: null, archivePath: from.path, readPath: from.path },
      ...{ filename: null, passphrase: null, move: { id: from.moveId, cell: from.cell } },
    })
  })
}

function insertIn(
  tx: Tx,
  ctx: Ctx,
  given: ReadableArchive &
    Checked & { archiveFile: string | null; move?: { id: string; cell: string } },
): OrganizationImportView {
  const { manifest, judgment, isDryRun, filename, archiveFile, archivePath } = given
  const id = ctx.ids.next()
  const nowMs = ctx.clock.nowMs()
  const state = judgment === null ? 'checking' : isDryRun ? 'checked' : 'running'
  const row = tx
    .insert(organizationImports)
    .values({
      ...{ id, state, isDryRun, filename, archiveFile, archivePath },
      digest: given.digest,
      keySealed: sealKey(ctx, id, given.key),
      organization: JSON.stringify(manifest.organization),
      counts: JSON.stringify(judgment?.counts ?? {}),
      conflicts: JSON.stringify(judgment?.conflicts ?? []),
      rowsTotal: manifest.parts.reduce((sum, { rows }) => sum + rows, 0),
      moveId: given.move?.id ?? null,
      fromCell: given.move?.cell ?? null,
      createdBy: ctx.actor.userId,
      createdAtMs: nowMs,
      startedAtMs: state === 'running' ? nowMs : null,
    })
    .returning()
    .get()
  if (state !== 'checked') enqueueIn(tx, ctx, id)
  recordIn(tx, ctx, row, isDryRun ? 'created' : 'imported')
  return organizationImportView(row)
}

const enqueueIn = (tx: Tx, ctx: Ctx, importId: string): void =>
  void enqueue(tx, systemCtx(ctx, INSTALLATION), ImportOrganization, { args: { importId } })

const recordIn = (
  tx: Tx,
  ctx: Ctx,
  row: OrganizationImportRow,
  action: 'created' | 'imported' | 'cancelled',
): void => {
  if (ctx.organizationId === INSTALLATION) return // on the command line
  recordAudit(tx, ctx, {
    action,
    resourceType: 'organization_import',
    resourceId: row.id,
    resourceName: null, // the entry is in another organization, where it stays
  })
}

/**
 * Imports the archive of a dry run. Throws NotFoundError, ForbiddenError `fresh_login_required`, and
 * ConflictError `wrong_state`, `too_late`, `import_running` or that of the conflict.
 */
export function commitImport(ctx: Ctx, id: string): OrganizationImportView {
  requireFreshLogin(ctx)
  return transact(ctx.db, (tx) => {
    const row = getImport(ctx, id)
    if (row.state !== 'checked')
      throw new ConflictError('Only a completed dry run can be committed.', { code: 'wrong_state' })
    if (row.createdAtMs + COMMITTABLE_MS < ctx.clock.nowMs())
      throw new ConflictError('Dry runs can be committed within 24 hours. Import the file again.', {
        code: 'too_late',
      })
    requireNoneRunning(ctx)
    const blocking = organizationImportView(row).conflicts.find(isBlocking)
    if (blocking) throw conflictError(blocking)
    tx.update(organizationImports)
      .set({ state: 'running', isDryRun: false, startedAtMs: ctx.clock.nowMs() })
      .where(eq(organizationImports.id, id))
      .run()
    enqueueIn(tx, ctx, id)
    recordIn(tx, ctx, row, 'imported')
    return organizationImportView(getImport(ctx, id))
  })
}

/** Orders the last step of an import that waits, in the caller's transaction; or does nothing. */
export function completeMoveImportIn(tx: Tx, ctx: Ctx, moveId: string): void {
  const row = findMoveImport(ctx, moveId)
  if (row?.state !== 'waiting') return
  tx.update(organizationImports)
    .set({ state: 'running', orderedAtMs: ctx.clock.nowMs() })
    .where(eq(organizationImports.id, row.id))
    .run()
  enqueueIn(tx, ctx, row.id)
}

/** Undoes the import of a move, unless it is complete. */
export function discardMoveImport(ctx: Ctx, moveId: string): void {
  transact(ctx.db, (tx) => {
    const row = findMoveImport(ctx, moveId)
    if (!row || row.finishedAtMs !== null) return
    endImportIn(tx, ctx, row.id, { state: 'cancelled', error: null })
    enqueueIn(tx, ctx, row.id)
  })
}

/**
 * Cancels an import and undoes all of it. Throws NotFoundError and ConflictError `wrong_state`.
 */
export function cancelImport(ctx: Ctx, id: string): OrganizationImportView {
  return transact(ctx.db, (tx) => {
    const row = getImport(ctx, id)
    if (row.finishedAtMs !== null)
      throw new ConflictError('The import has ended.', { code: 'wrong_state' })
    endImportIn(tx, ctx, id, { state: 'cancelled', error: null })
    enqueueIn(tx, ctx, id)
    recordIn(tx, ctx, row, 'cancelled')
    return organizationImportView(findImport(ctx, id) ?? row)
  })
}
