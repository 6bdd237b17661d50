import { eq, or } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { ConflictError, NotFoundError, UnavailableError } from '../../../lib/errors'
import { isUuid } from '../../../lib/ids'
import { slugOf } from '../../../lib/slug'
import { systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import type { Queue } from '../../../infra/jobs/job'
import { movingError } from '../../../infra/frozen-organization'
import { searchKey } from '../../../infra/search-keys'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import type { SystemRole } from '../roles/catalog'
import { createSystemRolesIn } from '../roles/service'
import type { OrganizationSettings, OrganizationView } from './model'
import { spendView } from './spend'
import { organizations } from './table'

/** A row of the organizations table. */
export type OrganizationRow = typeof organizations.$inferSelect

/**
 * Creates an organization with its system roles (spec 2.2). Returns its ID and the IDs of the
 * roles. Runs inside the caller's transaction.
 */
export function createOrganizationIn(
  tx: Tx,
  deps: Deps,
  input: { name: string },
): { id: string; roleIds: Record<SystemRole, string> } {
  const nowMs = deps.clock.nowMs()
  const id = deps.ids.random()
  tx.insert(organizations)
    .values({
      id,
      name: input.name,
      nameKey: searchKey(input.name),
      slug: freeSlugIn(tx, deps, input.name),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .run()
  return { id, roleIds: createSystemRolesIn(tx, systemCtx(deps, id)) }
}

/** Returns a slug that no organization has. */
function freeSlugIn(tx: Tx, deps: Pick<Deps, 'ids'>, name: string): string {
  for (;;) {
    const slug = slugOf(name, deps.ids.suffix())
    if (
      !tx
        .select({ id: organizations.id })
        .from(organizations)
        .where(eq(organizations.slug, slug))
        .get()
    )
      return slug
  }
}

const byId = compiled((orm) =>
  orm
    .select()
    .from(organizations)
    .where(eq(organizations.id, place(organizations.id, 'id')))
    .prepare(),
)

/** Returns the organization of the scope. Throws NotFoundError. */
export function getOrganization(ctx: Pick<ReadCtx, 'db' | 'organizationId'>): OrganizationRow {
  const row = byId(ctx.db).get({ id: ctx.organizationId })
  if (!row) throw new NotFoundError('Organization')
  return row
}

/** Returns the organization, in any state, or `null`. */
export const findOrganization = (deps: Pick<Deps, 'db'>, id: string): OrganizationRow | null =>
  byId(deps.db).get({ id }) ?? null

/**
 * Returns the organization that an operator names by its ID, slug or name. Throws NotFoundError, and
 * ConflictError if several have the name.
 */
export function organizationNamed({ db }: Pick<Deps, 'db'>, wanted: string): OrganizationRow {
  const found = db.orm
    .select()
    .from(organizations)
    .where(
      or(
        isUuid(wanted) ? eq(organizations.id, wanted) : undefined,
        eq(organizations.slug, wanted),
        eq(organizations.name, wanted),
      ),
    )
    .limit(2)
    .all()
  const [one] = found
  if (!one) throw new NotFoundError(`Organization ${wanted}`)
  if (found.length > 1)
    throw new ConflictError(
      `Several organizations are named ${wanted}. Use the ID or slug (see "organization list").`,
    )
  return one
}

/** Whether an organization with this id exists that people can work in or restore. */
export const organizationExists = (deps: Pick<Deps, 'db'>, id: string): boolean =>
  isVisible(findOrganization(deps, id))

/** Whether people know about an organization: it is complete and not being erased. */
const isVisible = (row: OrganizationRow | null): row is OrganizationRow =>
  row !== null && !['erasing', 'importing', 'moved'].includes(row.state)

/**
 * Returns the organization for a sign-in or a request. Throws NotFoundError while it is erased, and
 * UnavailableError `organization_moving` while it is imported. Throws ConflictError `moved` if
 * another server has it.
 */
export function requireOpenOrganization(deps: Pick<Deps, 'db'>, id: string): OrganizationRow {
  const row = findOrganization(deps, id)
  if (row?.state === 'importing')
    throw new UnavailableError(
      'This organization is being imported. Try again when the import is complete.',
      60,
      { code: 'organization_moving' },
    )
  if (row?.state === 'moved')
    throw new ConflictError(`This organization has moved to ${row.movedTo}. Sign in there.`, {
      code: 'moved',
      details: { address: row.movedTo },
    })
  if (!isVisible(row)) throw new NotFoundError('Organization')
  return row
}

/**
 * Throws UnavailableError `organization_moving` while an organization is copied to another server:
 * what is written now would stay behind.
 */
export function requireNotMoving(deps: Pick<Deps, 'db'>, id: string): void {
  if (findOrganization(deps, id)?.state === 'moving') throw movingError()
}

/**
 * For a request about another organization than the caller's, or without a caller: throws the errors
 * of {@link requireOpenOrganization} and {@link requireNotMoving}.
 */
export function requireWritable(deps: Pick<Deps, 'db'>, id: string): void {
  if (requireOpenOrganization(deps, id).state === 'moving') throw movingError()
}

/**
 * Whether the jobs of an organization wait: while it is imported, moved or erased. What was received
 * before a move began is still processed.
 */
export const isHeld = (deps: Pick<Deps, 'db'>, id: string, queue: Queue): boolean => {
  const row = findOrganization(deps, id)
  if (row === null) return false
  return row.state === 'moving' ? !queue.startsWith('inbound') : !isVisible(row)
}

/** Changes the state of an organization, in the caller's transaction. */
export const setOrganizationStateIn = (
  tx: Tx,
  id: string,
  to: Pick<OrganizationRow, 'state' | 'deletesAtMs'> & Partial<Pick<OrganizationRow, 'moves'>>,
): void =>
  tx
    .update(organizations)
    .set({ movedTo: null, ...to })
    .where(eq(organizations.id, id))
    .run()

/** Freezes all organizations that work here, in the caller's transaction. Returns their IDs. */
export const freezeAllIn = (tx: Tx): string[] =>
  tx
    .update(organizations)
    .set({ state: 'moving' })
    .where(eq(organizations.state, 'active'))
    .returning({ id: organizations.id })
    .all()
    .map(({ id }) => id)

/** Stores how often an organization has moved, in the caller's transaction. */
export const setMovesIn = (tx: Tx, id: string, moves: number): void =>
  tx.update(organizations).set({ moves }).where(eq(organizations.id, id)).run()

/**
 * Marks an organization as moved to another server, in the caller's transaction. `moves` counts the move
 * that took it there.
 */
export const markMovedIn = (
  tx: Tx,
  id: string,
  to: { movedTo: string; deletesAtMs: number; moves: number },
): void =>
  tx
    .update(organizations)
    .set({ state: 'moved', ...to })
    .where(eq(organizations.id, id))
    .run()

/** Returns the oldest organization that works here, or `null`. */
export const findOldestOrganization = (deps: Pick<Deps, 'db'>): OrganizationRow | null =>
  deps.db.orm
    .select()
    .from(organizations)
    .where(eq(organizations.state, 'active'))
    .orderBy(organizations.createdAtMs, organizations.id)
    .limit(1)
    .get() ?? null

/**
 * Returns the organization in which super admins without memberships sign in: the oldest one, or one
 * that is copied to another server and can still be read. `null` if none works here.
 */
export const findOrganizationToAdminister = (deps: Pick<Deps, 'db'>): OrganizationRow | null =>
  findOldestOrganization(deps) ??
  deps.db.orm
    .select()
    .from(organizations)
    .where(eq(organizations.state, 'moving'))
    .limit(1)
    .get() ??
  null

/** Returns an organization as the API shows it (spec 2.2). */
export const organizationView = (row: OrganizationRow): OrganizationView => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  ...(row.deletesAtMs === null ? {} : { deletes_at: isoTime(row.deletesAtMs) }),
  created_at: isoTime(row.createdAtMs),
})

/** Returns the settings of an organization as the API shows them (spec 2.3). */
export const settingsView = (row: OrganizationRow): OrganizationSettings => ({
  mask_phone_numbers: row.maskPhoneNumbers,
  timezone: row.timezone,
  date_format: row.dateFormat,
  registration_policy: row.registrationPolicy,
  language: row.language,
  default_country: row.defaultCountry,
  spend: spendView(row),
  message_activity_sharing: row.messageActivitySharing,
  creative_opt_out: row.creativeOptOut,
  template_max_price: row.templateMaxPrice,
  push_shows_content: row.pushShowsContent,
  new_conversations: row.newConversations,
})

/** Lets new conversations wait in the general queue, in the caller's transaction. */
export const resetNewConversationsIn = (
  tx: Tx,
  { organizationId }: Pick<Ctx, 'organizationId'>,
): void => {
  tx.update(organizations)
    .set({ newConversations: 'general' })
    .where(eq(organizations.id, organizationId))
    .run()
}

/**
 * Returns the context of the organization in a path: the caller's, or any for super admins. Throws
 * NotFoundError.
 */
export function ctxOfOrganization(ctx: Ctx, id: string): Ctx {
  if ((id !== ctx.organizationId && !ctx.actor.isSuperAdmin) || !organizationExists(ctx, id))
    throw new NotFoundError('Organization')
  return { ...ctx, organizationId: id }
}
