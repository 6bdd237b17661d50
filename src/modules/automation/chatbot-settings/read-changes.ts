import { languageTag } from '../../../lib/fields'
import { isoTime } from '../../../lib/clock'
import { lengthOf, reportDuplicates, type Report } from '../../../lib/input-problems'
import { parsePhone, type CountryCode } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import { asRule } from '../../../infra/liquid/liquid'
import { findActiveMember } from '../../organization/memberships/find'
import { getOrganization } from '../../organization/organizations/service'
import { reportButtonTargets } from './button-targets'
import { withButtonIds } from './buttons'
import { ORGANIZATION_ONLY, type ChatbotSettings } from './catalog'
import { readHours } from './hours/model'
import type { ChatbotSettingsChanges } from './model'

/** Changed settings as they are stored, without the AI key. */
export type StoredChanges = Partial<ChatbotSettings>

/** Fields of a request that are not stored as they are. */
const NOT_STORED = ['ai_api_key', 'ai_system_prompt', 'acknowledge_no_human_path'] as const

/**
 * Reads changed settings of an organization, or of a phone number if `accountId` is not null, and
 * reports their problems. `before` has the settings that apply without the change.
 */
export function readChanges(
  ctx: Ctx,
  report: Report,
  {
    accountId,
    changes,
    before,
  }: {
    accountId: string | null
    changes: ChatbotSettingsChanges
    before: Readonly<ChatbotSettings>
  },
): StoredChanges {
  for (const field of Object.keys(changes))
    if (accountId !== null && ORGANIZATION_ONLY.has(field))
      report(`body.${field}`, 'is a setting of the organization; omit `account_id`')
  reportTemplates(ctx, report, changes)
  const { ai_data_terms_confirmed: confirmed, ai_system_prompt: prompt, ...rest } = changes
  const plain = Object.fromEntries(
    Object.entries(rest).filter(([field]) => !(NOT_STORED as readonly string[]).includes(field)),
  ) as Omit<ChatbotSettingsChanges, (typeof NOT_STORED)[number]>
  return {
    ...(plain as StoredChanges), // the fields that differ follow
    ...(prompt === undefined || rest.system_prompt !== undefined ? {} : { system_prompt: prompt }),
    ...buttonsOf(ctx, report, changes, before),
    ...listsOf(ctx, report, changes, before),
    ...(changes.business_hours && { business_hours: readHours(changes.business_hours) }),
    ...(changes.holidays && { holidays: holidaysOf(report, changes.holidays) }),
    ...(changes.ai_disclosure_text && {
      ai_disclosure_text: textsByLanguage(report, changes.ai_disclosure_text),
    }),
    ...(confirmed === undefined ? {} : { ai_data_terms: confirmedTerms(ctx, confirmed, before) }),
    ...keyFields(changes.ai_api_key),
  }
}

/** A field whose text is sent to customers. */
const IS_MESSAGE = /_message(?:_|$)/

/** Reports texts to customers that are no templates. */
export function reportTemplates(ctx: Ctx, report: Report, changes: ChatbotSettingsChanges): void {
  const check = (path: string, text: unknown): void => {
    const problem = typeof text === 'string' ? ctx.liquid.templateProblem(text) : null
    if (problem !== null) report(path, asRule(problem))
  }
  for (const [field, value] of Object.entries(changes))
    if (IS_MESSAGE.test(field)) check(`body.${field}`, value)
  for (const [tag, text] of Object.entries(changes.ai_disclosure_text ?? {}).slice(
    0,
    MAX_LANGUAGES,
  ))
    check(`body.ai_disclosure_text.${tag}`, text)
  for (const field of ['greeting_buttons', 'fallback_buttons'] as const)
    for (const [index, { title }] of (changes[field] ?? []).entries())
      check(`body.${field}.${index}.title`, title)
}

/** Returns who confirmed the terms and when. A repeated confirmation keeps the first one. */
const confirmedTerms = (
  ctx: Ctx,
  isConfirmed: boolean,
  before: Readonly<ChatbotSettings>,
): ChatbotSettings['ai_data_terms'] =>
  isConfirmed
    ? (before.ai_data_terms ?? { at: isoTime(ctx.clock.nowMs()), by: ctx.actor.userId })
    : null

/** A key must be this long for its last four characters to be shown. */
const MIN_SHOWN_KEY = 8

const keyFields = (key: string | null | undefined): StoredChanges =>
  key === undefined
    ? {}
    : {
        ai_api_key_set: key !== null,
        ai_api_key_last4: key === null || key.length < MIN_SHOWN_KEY ? null : key.slice(-4),
      }

function buttonsOf(
  ctx: Ctx,
  report: Report,
  changes: ChatbotSettingsChanges,
  before: Readonly<ChatbotSettings>,
): StoredChanges {
  const read = (field: 'greeting_buttons' | 'fallback_buttons'): StoredChanges => {
    const given = changes[field]
    if (given === undefined) return {}
    const at = `body.${field}`
    reportDuplicates(
      report,
      given.map(({ title }, index) => ({ path: `${at}.${index}.title`, value: title })),
    )
    reportDuplicates(
      report,
      given.flatMap(({ id }, index) =>
        id === undefined ? [] : [{ path: `${at}.${index}.id`, value: id }],
      ),
    )
    reportButtonTargets(ctx, report, { path: at, given, former: before[field] })
    return { [field]: withButtonIds(ctx, given, before[field]) }
  }
  return { ...read('greeting_buttons'), ...read('fallback_buttons') }
}

function listsOf(
  ctx: Ctx,
  report: Report,
  changes: ChatbotSettingsChanges,
  before: Readonly<ChatbotSettings>,
): StoredChanges {
  const { transfer_keywords: words, excluded_numbers: numbers } = changes
  const { sla_escalation_notify_ids: ids } = changes
  const trimmed = words?.map((word) => word.trim())
  for (const [index, word] of (trimmed ?? []).entries())
    if (word === '') report(`body.transfer_keywords.${index}`, 'must not be blank')
  // Former ones stay while they are suspended.
  for (const [index, id] of (ids ?? []).entries())
    if (!before.sla_escalation_notify_ids.includes(id) && !findActiveMember(ctx, id))
      report(
        `body.sla_escalation_notify_ids.${index}`,
        'is not an active member of the organization',
      )
  return {
    ...(trimmed && { transfer_keywords: [...new Set(trimmed)] }),
    ...(numbers && { excluded_numbers: numbersOf(ctx, report, numbers) }),
    ...(ids && { sla_escalation_notify_ids: [...new Set(ids)] }),
  }
}

function numbersOf(ctx: Ctx, report: Report, written: string[]): string[] {
  const country = (getOrganization(ctx).defaultCountry ?? undefined) as CountryCode | undefined
  const digits = written.map((number, index) => {
    const parsed = parsePhone(number, country)
    if (parsed === null) report(`body.excluded_numbers.${index}`, 'must be a phone number')
    return parsed ?? ''
  })
  return [...new Set(digits)]
}

function holidaysOf(
  report: Report,
  given: NonNullable<ChatbotSettingsChanges['holidays']>,
): ChatbotSettings['holidays'] {
  reportDuplicates(
    report,
    given.map(({ date }, index) => ({ path: `body.holidays.${index}.date`, value: date })),
  )
  return given.map(({ date, name = '', intervals = [] }) => ({
    date,
    name,
    intervals: intervals.map(({ start_time, end_time }) => ({ start_time, end_time })),
  }))
}

const MAX_LANGUAGES = 50
const MAX_DISCLOSURE = 300

function textsByLanguage(report: Report, given: Record<string, unknown>): Record<string, string> {
  const at = 'body.ai_disclosure_text'
  if (Object.keys(given).length > MAX_LANGUAGES)
    report(at, `must have at most ${MAX_LANGUAGES} languages`)
  return Object.fromEntries(
    Object.entries(given)
      .slice(0, MAX_LANGUAGES)
      .map(([tag, text]) => {
        const language = tag.length > 35 ? null : languageTag(tag)
        if (language === null)
          report(`${at}.${tag}`, 'must be named by a language tag such as en or pt-BR')
        else if (typeof text !== 'string' || text.trim() === '' || lengthOf(text) > MAX_DISCLOSURE)
          report(`${at}.${tag}`, `must be a text of 1 to ${MAX_DISCLOSURE} characters`)
        return [language ?? tag, String(text)]
      }),
  )
}
