import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'

import type { Data } from '../api/client'
import { useCan } from '../live/me'
import { useApi } from '../live/query'
import { cannedTarget } from '../parts/commands'
import { besideOf, nameOf } from '../parts/contact/name'
import { Icon } from '../parts/icons'
import { report } from '../parts/toast'
import { t } from '../texts/texts'
import type { Command } from './commands'

/** Letters from which the server searches. */
const MIN_LETTERS = 2
const MAX_CANNED = 5

/** Returns a response, and while the one for the next letters is on its way the one before. */
function useLast<T>(data: T | undefined, isWanted: boolean): T | undefined {
  const last = useRef<T | undefined>(undefined)
  if (data !== undefined || !isWanted) last.current = data
  return last.current
}

const hintOf = ({
  state,
  last_message: last,
}: Data<'GET /api/suggest'>['conversations'][number]): string =>
  [...(state === 'open' ? [] : [t(`inbox.state.${state}`)]), last?.preview ?? ''].join(' · ')

/** Finds customers, their conversations and canned responses by a few letters. */
export function useFound(text: string): { found: Command[]; isLoading: boolean } {
  const navigate = useNavigate()
  const isLong = text.length >= MIN_LETTERS
  const isWanted = useCan('contacts:read') && isLong
  const isCannedWanted = useCan('canned_responses:read') && isLong
  const people = useApi('GET /api/suggest', { query: { q: text.slice(0, 100) } }, isWanted)
  const canned = useApi(
    'GET /api/canned-responses',
    { query: { search: text.slice(0, 100), active_only: true, limit: MAX_CANNED } },
    isCannedWanted,
  )
  const { contacts = [], conversations = [] } = useLast(people.data, isWanted) ?? {}
  const responses = useLast(canned.data, isCannedWanted)?.items ?? []
  const found = [
    ...conversations.map((one) => ({
      id: `conversation ${one.id}`,
      group: t('shell.palette.conversations'),
      label: nameOf(one.contact),
      hint: hintOf(one),
      mark: <Icon name="inbox" size={18} />,
      run: () => {
        navigate({
          to: '/inbox/$conversationId',
          params: { conversationId: one.id },
          search: {},
        }).catch(report)
      },
    })),
    ...contacts.map((one) => ({
      id: `contact ${one.id}`,
      group: t('search.contacts'),
      label: nameOf(one),
      ...besideOf(one),
      mark: <Icon name="contact" size={18} />,
      run: () => {
        navigate({ to: '/contacts/$contactId', params: { contactId: one.id } }).catch(report)
      },
    })),
    ...responses.map(({ id, name, content }) => ({
      id: `canned ${id}`,
      group: t('settings.canned.title'),
      label: name,
      hint: content,
      mark: <Icon name="bolt" size={18} />,
      run: () => {
        const insert = cannedTarget()
        if (insert) insert(id)
        else navigate({ to: '/settings/canned-responses', search: {} }).catch(report)
      },
    })),
  ]
  return { found, isLoading: people.isFetching || canned.isFetching }
}
