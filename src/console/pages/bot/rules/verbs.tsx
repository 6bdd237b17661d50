import { useNavigate } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { callOnce } from '../../../api/call-once'
import { call, type Body } from '../../../api/client'
import type { KeywordRule } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { keyOf } from '../../../live/query'
import { changeRow, refreshRows } from '../../../live/rows'
import { MenuItem } from '../../../parts/menu'
import type { Side } from '../../../parts/table-row'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { formOf } from './form'
import { priorityBeside } from './place'

const ROWS = 'GET /api/chatbot/keywords'
const RULE = 'GET /api/chatbot/keywords/{id}'

/** Returns what shows a rule everywhere as it is stored now. */
export function useKeepRule(): (rule: KeywordRule) => Promise<void> {
  const client = useQueryClient()
  return async (rule) => {
    client.setQueryData(keyOf(RULE, { params: { id: rule.id } }), rule)
    changeRow(client, ROWS, rule.id, () => rule)
    await refreshRows(client, ROWS)
    // the sentence of the overview counts the rules
    await client.invalidateQueries({ queryKey: ['GET /api/chatbot/settings'] })
  }
}

/** Returns a rule as the server takes it, to add it again. */
const againOf = (rule: KeywordRule): Body<'POST /api/chatbot/keywords'> => {
  const { content: response_content, at: _at, ...written } = formOf(rule)
  return { ...written, response_content: { ...response_content } }
}

/** Returns how a rule is deleted. It can be added again as it was. */
export function useDelete(): (rule: KeywordRule) => Promise<void> {
  const client = useQueryClient()
  const keep = useKeepRule()
  return async (rule) => {
    await call('DELETE /api/chatbot/keywords/{id}', { params: { id: rule.id } })
    client.removeQueries({ queryKey: keyOf(RULE, { params: { id: rule.id } }) })
    await refreshRows(client, ROWS)
    notify(t('bot.rules.deleted', { name: rule.name }), () => {
      callOnce('POST /api/chatbot/keywords', { body: againOf(rule) })
        .then(keep)
        .catch(report)
    })
  }
}

interface Verbs {
  menu: ((rule: KeywordRule) => ReactNode) | null
  turn: ((rule: KeywordRule, isOn: boolean) => void) | null
  place: ((rule: KeywordRule, side: Side, of: KeywordRule) => void) | undefined
}

/** Returns what the user may do with rules in the list. Each of it can be undone. */
export function useVerbs(): Verbs {
  const mayChange = useCan('chatbot:update')
  const mayDelete = useCan('chatbot:delete')
  const keep = useKeepRule()
  const remove = useDelete()
  const navigate = useNavigate()
  const change = (id: string, body: Body<'PUT /api/chatbot/keywords/{id}'>): Promise<void> =>
    call('PUT /api/chatbot/keywords/{id}', { params: { id }, body }).then(keep)
  const place = ({ id, name, priority }: KeywordRule, side: Side, of: KeywordRule): void => {
    const next = priorityBeside(of, side)
    if (next === priority) return
    change(id, { priority: next })
      .then(() => {
        notify(t('bot.rules.moved', { name, priority: next }), () => {
          change(id, { priority }).catch(report)
        })
      })
      .catch(report)
  }
  const menu = (rule: KeywordRule): ReactNode => (
    <>
      {mayChange && (
        <MenuItem
          icon="edit"
          label={t('bot.rules.edit')}
          onAction={() => {
            navigate({ to: '/bot/rules/$ruleId', params: { ruleId: rule.id } }).catch(report)
          }}
        />
      )}
      {mayDelete && (
        <MenuItem
          icon="trash"
          isDangerous
          label={t('bot.rules.delete')}
          onAction={() => {
            remove(rule).catch(report)
          }}
        />
      )}
    </>
  )
  return {
    menu: mayChange || mayDelete ? menu : null,
    turn: mayChange
      ? ({ id }, isOn) => {
          change(id, { enabled: isOn }).catch(report)
        }
      : null,
    place: mayChange ? place : undefined,
  }
}
