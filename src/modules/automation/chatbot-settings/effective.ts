import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'

import { compileHours, type CompiledHours } from '../../../lib/business-hours'
import { anyScope, inOrganization, INSTALLATION, type Ctx } from '../../../infra/ctx'
import { compiled, atMost, place } from '../../../infra/db/compiled'
import { accounts } from '../../channel/accounts/table'
import { DEFAULTS, type ChatbotSettings } from './catalog'
import { chatbotSettings } from './table'

/** Stands for the organization's own row. */
export const NO_ACCOUNT = INSTALLATION

export type SettingsRow = typeof chatbotSettings.$inferSelect

type Reader = Pick<Ctx, 'db' | 'organizationId' | 'chatbotSettings'>

/** Settings that were read before, with the revisions of the rows they were made of. */
interface KeptSettings {
  revisions: string
  settings: Readonly<ChatbotSettings>
  /** Business hours and holidays of the settings, compiled when they are asked for. */
  hours?: CompiledHours
}

const MAX_KEPT = 1_000

/** Cache of effective settings, by organization and phone number. */
export class SettingsCache {
  private readonly kept = new Map<string, KeptSettings>()

  /** Returns the kept settings if they are of these revisions, otherwise those that `make` returns. */
  get(key: string, revisions: string, make: () => ChatbotSettings): KeptSettings {
    const known = this.kept.get(key)
    if (known?.revisions === revisions) return known
    const made = { revisions, settings: make() }
    this.kept.delete(key)
    const [oldest] = this.kept.keys()
    if (this.kept.size >= MAX_KEPT && oldest !== undefined) this.kept.delete(oldest)
    this.kept.set(key, made)
    return made
  }
}

declare module '../../../infra/ctx' {
  interface Deps {
    /** Cache of the effective chatbot settings. */
    chatbotSettings: SettingsCache
  }
}

const ofBoth = compiled((orm) =>
  orm
    .select({ accountId: chatbotSettings.accountId, revision: chatbotSettings.revision })
    .from(chatbotSettings)
    .where(
      inOrganization(
        anyScope,
        chatbotSettings,
        or(
          eq(chatbotSettings.accountId, sql`+${sql.param(NO_ACCOUNT, chatbotSettings.accountId)}`),
          eq(chatbotSettings.accountId, place(chatbotSettings.accountId, 'accountId')),
        ),
      ),
    )
    .orderBy(asc(chatbotSettings.accountId))
    .prepare(),
)

const any = compiled((orm) =>
  orm
    .select({ accountId: chatbotSettings.accountId })
    .from(chatbotSettings)
    .where(inOrganization(anyScope, chatbotSettings))
    .limit(atMost(1))
    .prepare(),
)

/**
 * Whether the organization has stored any chatbot setting. Without one its bot is off, and this is
 * all that a message pays for the bot.
 */
export const hasSettings = ({ db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>): boolean =>
  any(db).get({ organizationId }) !== undefined

const one = compiled((orm) =>
  orm
    .select()
    .from(chatbotSettings)
    .where(
      inOrganization(
        anyScope,
        chatbotSettings,
        eq(chatbotSettings.accountId, place(chatbotSettings.accountId, 'accountId')),
      ),
    )
    .prepare(),
)

/** Returns the row of a phone number or, for `null`, of the organization; `null` if it has none. */
export const findSettingsRow = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  accountId: string | null,
): SettingsRow | null => one(db).get({ organizationId, accountId: accountId ?? NO_ACCOUNT }) ?? null

export const storedFields = (row: Pick<SettingsRow, 'fields'> | null): Partial<ChatbotSettings> =>
  row === null ? {} : (JSON.parse(row.fields) as Partial<ChatbotSettings>)

/** Returns what the connected phone numbers with settings of their own have stored. */
export const numbersThatDiffer = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
): { id: string; stored: Partial<ChatbotSettings> }[] =>
  ctx.db.orm
    .select({ accountId: chatbotSettings.accountId, fields: chatbotSettings.fields })
    .from(chatbotSettings)
    .innerJoin(
      accounts,
      and(
        eq(accounts.organizationId, chatbotSettings.organizationId),
        eq(accounts.id, chatbotSettings.accountId),
      ),
    )
    .where(inOrganization(ctx, chatbotSettings, isNull(accounts.deletedAtMs)))
    .all()
    .map((row) => ({ id: row.accountId, stored: storedFields(row) }))

/**
 * Returns the chatbot settings that apply to a phone number, or with `null` those of the
 * organization: the fields of the number's row, then those of the organization's, then the
 * defaults. The result is shared and must not be changed.
 */
export const effectiveSettings = (
  ctx: Reader,
  accountId: string | null,
): Readonly<ChatbotSettings> => keptSettings(ctx, accountId).settings

/** Returns the business hours and holidays that apply to a phone number, or to the organization. */
export function effectiveHours(ctx: Reader, accountId: string | null): CompiledHours {
  const kept = keptSettings(ctx, accountId)
  const { business_hours: weekly, holidays } = kept.settings
  return (kept.hours ??= compileHours(weekly, holidays))
}

function keptSettings(ctx: Reader, accountId: string | null): KeptSettings {
  const { db, organizationId } = ctx
  const rows = ofBoth(db).all({ organizationId, accountId: accountId ?? NO_ACCOUNT })
  const revisions = rows.map((row) => `${row.accountId}:${row.revision}`).join()
  return ctx.chatbotSettings.get(`${organizationId}/${accountId ?? ''}`, revisions, () => ({
    ...DEFAULTS,
    ...storedFields(findSettingsRow(ctx, null)),
    ...(accountId === null ? {} : storedFields(findSettingsRow(ctx, accountId))),
  }))
}
