import { Type, type Static } from '@sinclair/typebox'
import { eq, isNotNull, or } from 'drizzle-orm'

import { DAY_MS, isoTime } from '../../../../lib/clock'
import { acrossOrganizations, type Ctx, type Deps } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { transact } from '../../../../infra/db/transact'
import { differences, recordAudit } from '../../audit/record'
import { retentionSettings } from './table'

const days = (description: string, range = { minimum: 7, maximum: 3_650 }) =>
  Type.Union([Type.Integer(range), Type.Null()], {
    description: `${description} In days; \`null\` keeps them forever.`,
  })

const fields = {
  messages_days: days('Messages.'),
  media_days: days('Media files. Their messages are kept.'),
  notes_days: days('Notes about contacts.'),
  contacts_inactive_days: days(
    'Contacts without any activity in this time, with their messages and other data.',
  ),
  journal_days: Type.Integer({
    minimum: 7,
    maximum: 90,
    description: 'Stored webhook deliveries.',
  }),
  legal_hold: Type.Boolean({
    description: 'If `true`, nothing is erased, neither automatically nor by users.',
  }),
}

/** Retention settings of an organization. */
export const RetentionView = Type.Object(
  {
    ...fields,
    next_run_at: Type.String({
      format: 'date-time',
      description: "Next run: every night at 03:00 in the organization's time zone.",
    }),
    effective_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When shortened limits take effect. `null` if all are in effect.',
    }),
    updated_at: Type.String({
      format: 'date-time',
      description: 'Time of the last change, for `If-Match`. 1970 if there was none.',
    }),
  },
  { title: 'Retention' },
)
export type RetentionView = Static<typeof RetentionView>

const examples = [{ messages_days: 730, media_days: 365, notes_days: null }]

/** Changes to retention settings. */
export const RetentionChanges = Type.Partial(Type.Object(fields), {
  title: 'RetentionChanges',
  minProperties: 1,
  examples,
})

/** Changes to try. Without any, the settings of today are tried. */
export const TriedRetention = Type.Partial(Type.Object(fields), {
  title: 'TriedRetention',
  examples,
})
export type RetentionChanges = Static<typeof RetentionChanges>

/** Retention limits, days; `null` keeps the data forever. */
export interface Limits {
  messages_days: number | null
  media_days: number | null
  notes_days: number | null
  contacts_inactive_days: number | null
  journal_days: number
}

/** A shortened limit takes effect after this time, so that a mistake can be undone. */
const SHORTENING_DELAY_MS = DAY_MS

type Row = typeof retentionSettings.$inferSelect

/** Returns the retention row of an organization, or the default. */
export const retentionRow = (deps: Pick<ReadCtx, 'db'>, organizationId: string): Row =>
  deps.db.orm
    .select()
    .from(retentionSettings)
    .where(
      acrossOrganizations(
        'the nightly schedule goes through all organizations',
        eq(retentionSettings.organizationId, organizationId),
      ),
    )
    .get() ?? {
    organizationId,
    messagesDays: null,
    mediaDays: null,
    notesDays: null,
    journalDays: null,
    contactsInactiveDays: null,
    isLegalHold: false,
    former: '{}',
    changedAtMs: 0,
    lastRunDay: null,
  }

/** Returns the stored limits. */
export const storedLimits = (row: Row, journalDays: number): Limits => ({
  messages_days: row.messagesDays,
  media_days: row.mediaDays,
  notes_days: row.notesDays,
  contacts_inactive_days: row.contactsInactiveDays,
  journal_days: row.journalDays ?? journalDays,
})

const longer = (one: number | null | undefined, other: number | null): number | null =>
  one === undefined ? other : one === null || other === null ? null : Math.max(one, other)

/** Returns the limits in effect. For a day after a change, the longer limit applies. */
export function limitsInEffect(
  row: Row,
  { nowMs, journalDays }: { nowMs: number; journalDays: number },
): Limits {
  const limits = storedLimits(row, journalDays)
  if (nowMs - row.changedAtMs >= SHORTENING_DELAY_MS) return limits
  const former = JSON.parse(row.former) as Partial<Limits>
  return Object.fromEntries(
    Object.entries(limits).map(([name, limit]: [string, number | null]) => [
      name,
      longer(former[name as keyof Limits], limit),
    ]),
  ) as unknown as Limits // fromEntries loses the names, which are the same
}

/** Whether the organization is on legal hold: nothing may be erased. */
export const isOnLegalHold = (ctx: Pick<Ctx, 'db' | 'settings' | 'organizationId'>): boolean =>
  retentionRow(ctx, ctx.organizationId).isLegalHold

/** Returns the IDs of the organizations on legal hold. */
export const organizationsOnHold = (deps: Pick<Deps, 'db'>): string[] =>
  deps.db.orm
    .select({ id: retentionSettings.organizationId })
    .from(retentionSettings)
    .where(
      acrossOrganizations(
        'the nightly schedule goes through all organizations',
        eq(retentionSettings.isLegalHold, true),
      ),
    )
    .all()
    .map(({ id }) => id)

/** Returns the IDs of the organizations that have a retention limit. */
export const organizationsWithRetention = (deps: Pick<Deps, 'db'>): string[] =>
  deps.db.orm
    .select({ id: retentionSettings.organizationId })
    .from(retentionSettings)
    .where(
      inWorkingOrganizations(
        'the nightly schedule goes through all organizations',
        retentionSettings,
        or(
          isNotNull(retentionSettings.messagesDays),
          isNotNull(retentionSettings.mediaDays),
          isNotNull(retentionSettings.notesDays),
          isNotNull(retentionSettings.journalDays),
          isNotNull(retentionSettings.contactsInactiveDays),
        ),
      ),
    )
    .all()
    .map(({ id }) => id)

/**
 * Returns the retention settings as the API shows them. `nextRunMs` is the time of the next nightly
 * run.
 */
export function retentionView(ctx: Ctx, nextRunMs: number): RetentionView {
  const row = retentionRow(ctx, ctx.organizationId)
  const { journalDays } = ctx.settings
  const inEffect = limitsInEffect(row, { nowMs: ctx.clock.nowMs(), journalDays })
  const limits = storedLimits(row, journalDays)
  const isWaiting = JSON.stringify(inEffect) !== JSON.stringify(limits)
  return {
    ...limits,
    legal_hold: row.isLegalHold,
    next_run_at: isoTime(nextRunMs),
    effective_at: isWaiting ? isoTime(row.changedAtMs + SHORTENING_DELAY_MS) : null,
    updated_at: isoTime(row.changedAtMs),
  }
}

/**
 * Updates the given limits. Shorter limits take effect after a day, longer ones and a legal hold at
 * once.
 */
export function changeRetention(ctx: Ctx, changes: RetentionChanges): void {
  transact(ctx.db, (tx) => {
    const nowMs = ctx.clock.nowMs()
    const { journalDays } = ctx.settings
    const before = retentionRow(ctx, ctx.organizationId)
    const inEffect = limitsInEffect(before, { nowMs, journalDays })
    const limits = { ...storedLimits(before, journalDays), ...changes }
    const after: Row = {
      ...before,
      messagesDays: limits.messages_days,
      mediaDays: limits.media_days,
      notesDays: limits.notes_days,
      contactsInactiveDays: limits.contacts_inactive_days,
      journalDays: changes.journal_days ?? before.journalDays,
      isLegalHold: changes.legal_hold ?? before.isLegalHold,
      former: JSON.stringify(inEffect),
      changedAtMs: nowMs,
    }
    const shown = (row: Row): Record<string, unknown> => ({
      ...storedLimits(row, journalDays),
      legal_hold: row.isLegalHold,
    })
    const changed = differences(shown(before), shown(after))
    if (changed.length === 0) return
    const { organizationId: _id, ...rest } = after
    tx.insert(retentionSettings)
      .values(after)
      .onConflictDoUpdate({ target: retentionSettings.organizationId, set: rest })
      .run()
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'retention',
      resourceId: ctx.organizationId,
      resourceName: null,
      changes: changed,
    })
  })
}

/** Records the local day of a nightly run. */
export function recordRetentionRun(
  deps: Pick<Deps, 'db'>,
  organizationId: string,
  day: string,
): void {
  transact(deps.db, (tx) =>
    tx
      .update(retentionSettings)
      .set({ lastRunDay: day })
      .where(
        acrossOrganizations(
          'the nightly schedule goes through all organizations',
          eq(retentionSettings.organizationId, organizationId),
        ),
      )
      .run(),
  )
}
