import type { Body } from '../../../api/client'
import type { KeywordRule } from '../../../api/shapes'
import type { Merge } from '../../../parts/merge'
import { formatDateTime } from '../../../texts/format'
import { t, type TextKey } from '../../../texts/texts'
import { weekInWords } from '../../../parts/week'
import { contentOf, type Content } from './answer'

/** What a person writes about a rule. */
export type RuleForm = Pick<
  KeywordRule,
  | 'name'
  | 'keywords'
  | 'match_type'
  | 'case_sensitive'
  | 'whole_word'
  | 'response_type'
  | 'response'
  | 'priority'
  | 'enabled'
  | 'account_id'
  | 'active_from'
  | 'active_until'
  | 'active_hours'
  | 'interrupts_flow'
> & {
  content: Content
  /** When it was changed. */
  at: string
}

/** A rule that is not written yet. */
export const EMPTY_RULE: RuleForm = {
  name: '',
  keywords: [],
  match_type: 'contains',
  case_sensitive: false,
  whole_word: true,
  response_type: 'text',
  response: null,
  priority: 10,
  enabled: true,
  account_id: null,
  active_from: null,
  active_until: null,
  active_hours: [],
  interrupts_flow: false,
  content: {},
  at: '',
}

/** Returns what a person writes about a rule that there is. */
export function formOf(rule: KeywordRule): RuleForm {
  const { id: _id, hit_count: _h, last_hit_at: _l, created_at: _c, warnings: _w, ...rest } = rule
  const { response_content: _content, updated_at: at, ...written } = rest
  return { ...written, content: contentOf(rule), at }
}

/** Returns changes as the server takes them. The content belongs to the kind of the answer. */
export function bodyOf(
  { content, at: _at, name, ...changes }: Partial<RuleForm>,
  whole: RuleForm,
): Body<'PUT /api/chatbot/keywords/{id}'> {
  const isOther = content !== undefined || changes.response_type !== undefined
  return {
    ...changes,
    ...(name === undefined || name.trim() === '' ? {} : { name }),
    ...(isOther ? { response_content: { ...(content ?? whole.content) } } : {}),
  }
}

const LABELS: Partial<Record<keyof RuleForm, TextKey>> = {
  name: 'bot.rules.name',
  keywords: 'bot.rules.keywords',
  match_type: 'bot.rules.match',
  case_sensitive: 'bot.rules.case',
  whole_word: 'bot.rules.whole',
  response_type: 'bot.rules.kind',
  response: 'bot.rules.text',
  content: 'bot.rules.answer',
  priority: 'bot.rules.priority',
  enabled: 'bot.rules.enabled',
  account_id: 'bot.rules.number',
  active_from: 'bot.rules.from',
  active_until: 'bot.rules.until',
  active_hours: 'bot.rules.hours',
  interrupts_flow: 'bot.rules.interrupts',
}

/** How a form of a rule shows what somebody else saved meanwhile. */
export const MERGE: Merge<RuleForm> = {
  read: (present) => formOf(present as KeywordRule),
  label: (field) => t(LABELS[field] ?? 'bot.other'),
  show: (field, value) => {
    switch (field) {
      case 'match_type':
        return t(`bot.rules.match.${value as RuleForm['match_type']}`)
      case 'response_type':
        return t(`bot.rules.kind.${value as RuleForm['response_type']}`)
      case 'active_hours':
        return weekInWords(value as RuleForm['active_hours'])
      case 'active_from':
      case 'active_until':
        return value === null ? null : formatDateTime(value as string)
      case 'content':
        return contentInWords(value as Content)
      default:
        return null
    }
  },
}

const contentInWords = ({ buttons = [], header, footer, notes, filename }: Content): string =>
  [header, ...buttons.map(({ title }) => title), footer, filename, notes]
    .filter((word) => word != null && word !== '')
    .join(' · ')
