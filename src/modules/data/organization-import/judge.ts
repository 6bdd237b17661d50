import { eq } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import { bytesToUuid } from '../../../infra/db/uuid'
import { USERS_PART } from '../organization-archive/archive-format'
import { accountsNamingPhones, findAccountAnywhere } from '../../channel/accounts/queries'
import { findOrganization } from '../../organization/organizations/service'
import { arrivingSpend } from '../../organization/organizations/arrive'
import { organizations } from '../../organization/organizations/table'
import type { Archive, ArchivedRow } from './archive/archive'
import { ConstraintCheck } from './archive/constraint'
import { ArchiveFault, NO_MEMBER, wrongValue } from './archive/fault'
import { LimitCheck } from './archive/limits'
import { ReferenceCheck } from './archive/references'
import { UniquenessCheck } from './archive/uniqueness'
import { requireAllowedValues, requireValidGraph } from './archive/values'
import { requireWritten } from './archive/written'
import type { RowToStore } from './archive/row-reader'
import type { Conflict } from './model'
import { matchPerson, readPerson } from './people'

/** What an archive contains, and what stands in its way here. */
export interface Judgment {
  /** Rows by table. */
  counts: Record<string, number>
  conflicts: Conflict[]
}

/** Most conflicts that are listed. */
const MAX_CONFLICTS = 1_000

/**
 * Reads an archive from its first to its last byte and compares it with this installation, without
 * writing anything. Throws ArchiveFault, and the reason of `signal` when it is aborted.
 */
export async function judgeArchive(
  ctx: Ctx,
  archive: Archive,
  { signal, isMove }: { signal: AbortSignal; isMove: boolean },
): Promise<Judgment> {
  const conflicts: Conflict[] = []
  const add = (conflict: Conflict | null): void => {
    if (conflict && conflicts.length < MAX_CONFLICTS) conflicts.push(conflict)
  }
  add(existingOrganization(ctx, archive))
  add(takenSlug(ctx, archive))
  for (const one of archive.leftOut) add({ kind: 'left_out', ...one })
  const counts: Record<string, number> = {}
  const members = new Set<string>()
  const people = new Set<string>()
  const emails = new Set<string>()
  const references = ReferenceCheck.of(ctx.db.sqlite, archive)
  const unique = new UniquenessCheck(ctx.db.sqlite, archive.tables, { isMove })
  using constraints = new ConstraintCheck(ctx, archive, { isMove })
  for (const { table, rows } of archive.manifest.parts) {
    counts[table] = rows
    const limits = new LimitCheck(archive.tables.get(table)?.fate ?? { limits: [] })
    const judgeRow = async ({ row, line }: ArchivedRow): Promise<void> => {
      const place = { file: archive.fileOf(table), line }
      if (table === USERS_PART) {
        add(knownEmail(ctx, row, place))
        requireNewPerson(row, { people, emails, place })
        if (row['is_member'] === 1) members.add(hexOf(row['id']))
      }
      if (table === 'memberships' && !members.has(hexOf(row['user_id'])))
        throw wrongValue('user_id', NO_MEMBER, place)
      if (table === 'organizations') {
        requireNamed(archive, row, place)
        add(changedBudget(row, place))
      }
      if (table === 'accounts') add(numberInUse(ctx, row, { place, isMove }))
      requireAllowedValues(ctx, table, { row, place })
      if (!isMove) await requireWritten(ctx, table, { row, place })
      if (table === 'bot_flow_versions') await requireValidGraph(ctx, { row, place, isMove })
      constraints.add(table, row, place)
      limits.add(row, place)
      unique.add(table, row, place)
      references?.add(table, row, place)
    }
    await judgeRows(archive.rows(table), judgeRow, signal)
    references?.endTable(table)
  }
  for (const name of archive.files.names()) {
    const bytes = archive.files.verified(name, archive.readFile(name))
    for await (const _ of bytes) signal.throwIfAborted()
  }
  return { counts, conflicts }
}

const hexOf = (id: RowToStore[string] | undefined): string =>
  id instanceof Uint8Array ? id.toHex() : ''

/**
 * Judges all rows of a table. A row is only called wrong at the end, when its digest has told that it
 * was not changed since it was written.
 */
async function judgeRows(
  rows: AsyncIterable<ArchivedRow>,
  judge: (row: ArchivedRow) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let fault: ArchiveFault | null = null
  for await (const row of rows) {
    signal.throwIfAborted()
    if (fault !== null) continue
    try {
      await judge(row)
    } catch (error) {
      if (!(error instanceof ArchiveFault)) throw error
      fault = error
    }
  }
  if (fault !== null) throw fault
}

/** Requires that the row of the organization is the one that people are shown. Throws ArchiveFault. */
function requireNamed({ manifest }: Archive, row: RowToStore, place: Place): void {
  for (const column of ['name', 'slug'] as const)
    if (row[column] !== manifest.organization[column])
      throw wrongValue(column, 'must be that of the manifest', place)
}

/** Requires that a person is there once, by ID and e-mail. Throws ArchiveFault. */
function requireNewPerson(
  row: RowToStore,
  { people, emails, place }: { people: Set<string>; emails: Set<string>; place: Place },
): void {
  const { id, email } = readPerson(row, place)
  if (people.has(id)) throw wrongValue('id', 'is that of an earlier person', place)
  people.add(id)
  if (email === null) return
  if (emails.has(email)) throw wrongValue('email', 'is that of an earlier person', place)
  emails.add(email)
}

/** Whether a conflict prevents the import. */
export const isBlocking = ({ kind }: Conflict): boolean =>
  kind === 'organization_exists' || kind === 'number_in_use'

function existingOrganization(ctx: Ctx, { manifest }: Archive): Conflict | null {
  const { id } = manifest.organization
  const known = findOrganization(ctx, id)
  return known === null
    ? null
    : {
        kind: 'organization_exists',
        reason: known.state === 'erasing' ? 'erasing' : 'exists',
        message:
          known.state === 'erasing'
            ? 'The organization is still being erased here. Try again later.'
            : 'The organization exists here. Delete it first.',
      }
}

function takenSlug(ctx: Ctx, { manifest }: Archive): Conflict | null {
  const { id, slug } = manifest.organization
  const other = ctx.db.orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.slug, slug))
    .get()
  return other && other.id !== id
    ? {
        kind: 'slug_taken',
        reason: 'slug',
        values: { slug },
        message: `Another organization has the slug ${slug}. The imported one gets another.`,
      }
    : null
}

function changedBudget(row: RowToStore, place: Place): Conflict | null {
  const arriving = arrivingSpend(row)
  if (arriving?.isChanged !== true) return null
  const { warnAt } = arriving.spend
  return {
    kind: 'value_changed',
    ...(warnAt.length === 0
      ? { reason: 'budget_silent' }
      : { reason: 'budget', values: { percentages: warnAt.join(', ') } }),
    ...place,
    message:
      'The budget warns at percentages that are not allowed any more. ' +
      (warnAt.length === 0 ? 'It will not warn.' : `It will warn at ${warnAt.join(', ')} percent.`),
  }
}

interface Place {
  file: string
  line: number
}

/**
 * Whether a number is connected here. An organization that has moved away keeps its numbers in its copy; the
 * cell that sends another one knows whether that one has a number now, and a file does not.
 */
function numberInUse(
  ctx: Ctx,
  row: RowToStore,
  { place, isMove }: { place: Place; isMove: boolean },
): Conflict | null {
  const { id } = row
  if (id instanceof Uint8Array && findAccountAnywhere(ctx, bytesToUuid(id)) !== null)
    return {
      kind: 'number_in_use',
      reason: 'id_taken',
      ...place,
      message:
        'A phone number of another organization has the id of this one. An id names one phone ' +
        'number of the server.',
    }
  if (row['deleted_at_ms'] !== null) return null
  const phoneId = String(row['phone_id'])
  const isFree = accountsNamingPhones(ctx, [phoneId]).every(
    ({ organizationId }) => isMove && findOrganization(ctx, organizationId)?.state === 'moved',
  )
  const number = String(row['display_phone_number'] ?? phoneId)
  return isFree
    ? null
    : {
        kind: 'number_in_use',
        reason: 'connected',
        values: { number },
        ...place,
        message: `The phone number ${number} is connected in another organization. Disconnect it there first.`,
      }
}

function knownEmail(ctx: Ctx, row: RowToStore, place: Place): Conflict | null {
  const person = readPerson(row, place)
  const { outcome } = matchPerson(ctx, person)
  if (outcome !== 'joined' && outcome !== 'unconfirmed') return null
  return {
    kind: 'email_exists',
    reason: outcome === 'joined' ? 'joins' : 'confirms',
    values: { email: person.email ?? '' },
    ...place,
    message:
      outcome === 'joined'
        ? `${person.email} has an account here with the same password and joins with it.`
        : `${person.email} has an account here with another password and must confirm to join.`,
  }
}

/** Whether a conflict is about the person with this e-mail. */
export const isAbout = ({ kind, values }: Conflict, email: string): boolean =>
  kind === 'email_exists' && values?.['email'] === email
