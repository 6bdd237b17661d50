import { eq } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { withoutInvisible } from '../../../../lib/typed-text'
import { fieldSentence, InvalidError, type FieldProblem } from '../../../../lib/errors'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { transact } from '../../../../infra/db/transact'
import { differences, recordAudit } from '../../../organization/audit/record'
import type { ConsentSettings, ConsentSettingsChanges } from './model'
import { consentSettings } from './table'

/** Default keywords and replies. */
const USUAL: ConsentSettings = {
  opt_out_keywords: ['STOP', 'UNSUBSCRIBE'],
  opt_in_keywords: ['START', 'SUBSCRIBE'],
  opt_out_reply: null,
  opt_in_reply: null,
}

const ofOrganization = compiled((orm) =>
  orm.select().from(consentSettings).where(inOrganization(anyScope, consentSettings)).prepare(),
)

/** Returns the organization's opt-out and opt-in keywords and their replies. */
export function consentSettingsOf(ctx: Pick<Ctx, 'db' | 'organizationId'>): ConsentSettings {
  const row = ofOrganization(ctx.db).get({ organizationId: ctx.organizationId })
  if (!row) return USUAL
  return {
    opt_out_keywords: JSON.parse(row.optOutKeywords) as string[],
    opt_in_keywords: JSON.parse(row.optInKeywords) as string[],
    opt_out_reply: row.optOutReply,
    opt_in_reply: row.optInReply,
  }
}

/**
 * Updates the keywords; omitted fields stay unchanged. Throws InvalidError for blank keywords and
 * for a keyword in both lists.
 */
export function updateConsentSettings(ctx: Ctx, changes: ConsentSettingsChanges): ConsentSettings {
  return transact(ctx.db, (tx) => {
    const before = consentSettingsOf(ctx)
    const after = { ...before, ...changes, ...keywordsOf(changes, before) }
    const row = {
      optOutKeywords: JSON.stringify(after.opt_out_keywords),
      optInKeywords: JSON.stringify(after.opt_in_keywords),
      optOutReply: after.opt_out_reply,
      optInReply: after.opt_in_reply,
      updatedAtMs: ctx.clock.nowMs(),
    }
    tx.insert(consentSettings)
      .values({ organizationId: ctx.organizationId, ...row })
      .onConflictDoUpdate({
        target: consentSettings.organizationId,
        set: row,
        setWhere: eq(consentSettings.organizationId, ctx.organizationId),
      })
      .run()
    const changed = differences(before, after)
    if (changed.length > 0)
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'consent_settings',
        resourceId: null,
        resourceName: null,
        changes: changed,
      })
    return after
  })
}

/** Returns a keyword, or a message that may be one, as they are compared. */
export const comparedWord = (text: string): string => foldText(withoutInvisible(text))

/** Returns the keywords of both lists, trimmed and without duplicates. */
function keywordsOf(
  changes: ConsentSettingsChanges,
  before: ConsentSettings,
): Pick<ConsentSettings, 'opt_out_keywords' | 'opt_in_keywords'> {
  const problems: FieldProblem[] = []
  const listOf = (field: 'opt_out_keywords' | 'opt_in_keywords'): string[] => {
    const words = (changes[field] ?? before[field]).map((word) => word.trim())
    for (const [index, word] of words.entries())
      if (comparedWord(word) === '')
        problems.push({ path: `body.${field}.${index}`, message: 'must not be blank' })
    return [...new Map(words.map((word) => [comparedWord(word), word])).values()]
  }
  const lists = {
    opt_out_keywords: listOf('opt_out_keywords'),
    opt_in_keywords: listOf('opt_in_keywords'),
  }
  const out = new Set(lists.opt_out_keywords.map(comparedWord))
  const both = lists.opt_in_keywords.findIndex((word) => out.has(comparedWord(word)))
  if (both >= 0)
    problems.push({ path: `body.opt_in_keywords.${both}`, message: 'is also an opt-out keyword' })
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors: problems,
    })
  return lists
}
