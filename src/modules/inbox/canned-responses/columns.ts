import type { FieldProblem } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import { throwProblems } from '../../../lib/input-problems'
import { parsePhone } from '../../../lib/phone'
import { webUrl } from '../../../lib/web-url'
import type { Ctx } from '../../../infra/ctx'
import { requireUnique } from '../../../infra/require-unique'
import { searchKey } from '../../../infra/search-keys'
import { findVisibleMedia } from '../../channel/media/queries'
import type { CannedButton, CannedResponseChanges } from './model'
import { cannedResponses } from './table'

type Row = typeof cannedResponses.$inferSelect

const NEW = {
  name: '',
  content: '',
  shortcut: null,
  category: 'general',
  isActive: true,
  buttons: [],
  mediaId: null,
} satisfies Partial<Row>

/**
 * Returns what a request makes of a canned response, or of a new one. Throws InvalidError that
 * lists every invalid field, and ConflictError `name_taken` and `shortcut_taken`.
 */
export function columnsOf(ctx: Ctx, input: CannedResponseChanges, before: Row | null) {
  const former: typeof NEW | Row = before ?? NEW
  const problems: FieldProblem[] = []
  if (input.content?.trim() === '')
    problems.push({ path: 'body.content', message: 'must not be blank' })
  const buttons = input.buttons && readButtons(input.buttons, problems)
  if (
    typeof input.media_id === 'string' &&
    findVisibleMedia(ctx, input.media_id)?.state !== 'ready'
  )
    problems.push({ path: 'body.media_id', message: 'is not a file of this organization' })
  throwProblems(problems)
  const { content = former.content, shortcut = former.shortcut } = input
  const name = input.name?.trim() ?? former.name
  const nameKey = foldText(name)
  const unique = { table: cannedResponses, kind: 'canned response', except: before?.id ?? null }
  requireUnique(ctx, { ...unique, field: 'name', where: { nameKey } })
  if (shortcut !== null) requireUnique(ctx, { ...unique, field: 'shortcut', where: { shortcut } })
  return {
    name,
    nameKey,
    content,
    shortcut,
    words: searchKey(name, content, shortcut),
    category: input.category?.trim() ?? former.category,
    isActive: input.is_active ?? former.isActive,
    buttons: buttons ?? former.buttons,
    mediaId: input.media_id === undefined ? former.mediaId : input.media_id,
  }
}

function readButtons(given: CannedButton[], problems: FieldProblem[]): Row['buttons'] {
  const buttons = given.map((button, index) =>
    readButton(button, `body.buttons.${index}`, problems),
  )
  const ids = buttons.map(({ id }) => id)
  for (const [index, id] of ids.entries())
    if (ids.indexOf(id) < index)
      problems.push({
        path: `body.buttons.${index}.id`,
        message: 'is already the ID of another button',
      })
  return buttons
}

/** Returns a button with the fields of its type only. Adds problems to `problems`. */
function readButton(
  button: CannedButton,
  path: string,
  problems: FieldProblem[],
): Row['buttons'][number] {
  const { id, title, type, url, phone_number, flow_id } = button
  if (type === 'url' && webUrl(url ?? '') === null)
    problems.push({
      path: `${path}.url`,
      message: 'must be a URL that begins with http:// or https://',
    })
  const digits = type === 'phone' && phone_number ? parsePhone(phone_number) : null
  if (type === 'phone' && digits === null)
    problems.push({ path: `${path}.phone_number`, message: 'must be a phone number' })
  if (type === 'flow' && !flow_id)
    problems.push({ path: `${path}.flow_id`, message: 'is required' })
  return {
    id,
    title,
    type,
    url: type === 'url' ? (url ?? null) : null,
    phone_number: digits,
    flow_id: type === 'flow' ? (flow_id ?? null) : null,
  }
}
