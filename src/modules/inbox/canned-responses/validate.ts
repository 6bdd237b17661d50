import { eq } from 'drizzle-orm'

import type { FieldProblem } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import { throwProblems } from '../../../lib/input-problems'
import { parsePhone } from '../../../lib/phone'
import { webUrl } from '../../../lib/web-url'
import type { Ctx } from '../../../infra/ctx'
import { requireUnique } from '../../../infra/require-unique'
import { findVisibleMedia } from '../../channel/media/queries'
import type { CannedButton, CannedResponseChanges, CannedResponseView } from './model'
import { cannedResponses } from './table'

export type ValidInput = Pick<CannedResponseChanges, 'name' | 'content' | 'category'> & {
  buttons?: CannedResponseView['buttons']
}

/**
 * Returns the trimmed input. Throws InvalidError that lists every invalid field, and ConflictError.
 */
export function validateInput(
  ctx: Ctx,
  input: CannedResponseChanges,
  except: string | null,
): ValidInput {
  const problems: FieldProblem[] = []
  const text = (field: 'name' | 'content' | 'category'): string | undefined => {
    const written = field === 'content' ? input[field] : input[field]?.trim()
    if (written !== undefined && written.trim() === '')
      problems.push({ path: `body.${field}`, message: 'must not be blank' })
    return written
  }
  const checked = { name: text('name'), content: text('content'), category: text('category') }
  const buttons = input.buttons?.map((button, index) =>
    parseButton(button, `body.buttons.${index}`, problems),
  )
  const ids = buttons?.map(({ id }) => id) ?? []
  for (const [index, id] of ids.entries())
    if (ids.indexOf(id) < index)
      problems.push({
        path: `body.buttons.${index}.id`,
        message: 'is already the ID of another button',
      })
  if (
    typeof input.media_id === 'string' &&
    findVisibleMedia(ctx, input.media_id)?.state !== 'ready'
  )
    problems.push({ path: 'body.media_id', message: 'is not a file of this organization' })
  throwProblems(problems)
  const unique = { table: cannedResponses, kind: 'canned response', except }
  if (checked.name !== undefined)
    requireUnique(ctx, {
      ...unique,
      field: 'name',
      where: eq(cannedResponses.nameKey, foldText(checked.name)),
    })
  if (typeof input.shortcut === 'string')
    requireUnique(ctx, {
      ...unique,
      field: 'shortcut',
      where: eq(cannedResponses.shortcut, input.shortcut),
    })
  return {
    ...(checked.name === undefined ? {} : { name: checked.name }),
    ...(checked.content === undefined ? {} : { content: checked.content }),
    ...(checked.category === undefined ? {} : { category: checked.category }),
    ...(buttons === undefined ? {} : { buttons }),
  }
}

/** Returns a button with the fields of its type only. Adds problems to `problems`. */
function parseButton(
  button: CannedButton,
  path: string,
  problems: FieldProblem[],
): CannedResponseView['buttons'][number] {
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
