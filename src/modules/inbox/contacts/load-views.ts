import { eq, inArray } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { maskPhone } from '../../../lib/phone'
import { anyScope, type Ctx, inOrganization } from '../../../infra/ctx'
import { compiled, atMost, place } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { conversations } from '../conversations/table'
import { users } from '../../organization/users/table'
import type { ContactView, ContactDetails } from './model'
import { newestPreviews } from './newest-preview'
import { type ContactRow, contactView, windowEndMs } from './view'
import { type ContactSight, sightOf } from './visible-history'
import { contactIdentities } from './table'
import { tagsOf } from './tags'

/** Returns the contact as the API shows it to the caller. */
export function viewOf(ctx: Ctx, row: ContactRow): ContactView {
  const [view] = contactViews(ctx, [row], sightOf(ctx))
  if (!view) throw new Error(`contact ${row.id} has no view`)
  return view
}

/**
 * Returns contacts as the API shows them. Reads the names of assignees, the tags and the previews
 * with one query each.
 */
export function contactViews(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  rows: ContactRow[],
  sight: ContactSight,
): ContactView[] {
  const ids = [...new Set(rows.map(({ assignedTo }) => assignedTo).filter((id) => id !== null))]
  const people =
    ids.length === 0
      ? []
      : ctx.db.orm
          .select({ id: users.id, full_name: users.fullName })
          .from(users)
          .where(inArray(users.id, ids))
          .all()
  const byId = new Map(people.map((person) => [person.id, person]))
  const tags = tagsOf(
    ctx,
    rows.map(({ id }) => id),
  )
  const previews = newestPreviews(ctx, rows, sight)
  const windowEnds = endsOfClosedWindows(ctx, rows)
  return rows.map((row) =>
    contactView(row, {
      isMasked: sight.isMasked,
      windowEndMs: windowEnds.get(row.id),
      preview: previews.get(row.id),
      assignee: row.assignedTo === null ? null : (byId.get(row.assignedTo) ?? null),
      tags: tags.get(row.id),
    }),
  )
}

/**
 * Returns when the latest window of each contact ends, for contacts with a window closed by the
 * platform. Reads all their conversations with one query.
 */
function endsOfClosedWindows(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  rows: ContactRow[],
): Map<string, number | null> {
  const ids = rows.filter(({ windowClosedAtMs }) => windowClosedAtMs !== null).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const { contactId, lastInboundAtMs, windowClosedAtMs } = conversations
  const closedOnes = ctx.db.orm
    .select({ contactId, lastInboundAtMs, windowClosedAtMs })
    .from(conversations)
    .where(inOrganization(ctx, conversations, inArray(contactId, ids)))
    .all()
  const byContact = Map.groupBy(closedOnes, (one) => one.contactId)
  return new Map(
    [...byContact].map(([id, all]) => [
      id,
      Math.max(...all.map((one) => windowEndMs(one) ?? 0)) || null,
    ]),
  )
}

/** Compiled, because a new contact is shown on sockets. */
const identitiesOf = compiled((orm) =>
  orm
    .select()
    .from(contactIdentities)
    .where(
      inOrganization(
        anyScope,
        contactIdentities,
        eq(contactIdentities.contactId, place(contactIdentities.contactId, 'contactId')),
      ),
    )
    .orderBy(contactIdentities.kind, contactIdentities.value)
    .limit(atMost(100))
    .prepare(),
)

/** Returns a contact with its identities, as the API and the WebSocket show it. */
export function contactDetails(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  row: ContactRow,
  sight: ContactSight,
): ContactDetails {
  const [view] = contactViews(ctx, [row], sight)
  if (!view) throw new InvalidError('The contact could not be read.')
  const { organizationId } = ctx
  const identities = identitiesOf(ctx.db).all({ organizationId, contactId: row.id })
  return {
    ...view,
    identities: identities.map((identity) => ({
      kind: identity.kind,
      value:
        sight.isMasked && identity.kind === 'phone' ? maskPhone(identity.value) : identity.value,
      account_id: identity.accountId,
      first_seen_at: isoTime(identity.firstSeenAtMs),
    })),
    platform_blocked: row.platformBlockedAtMs !== null,
  }
}
