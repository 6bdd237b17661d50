import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'

import { call } from '../../api/client'
import type { Transfer } from '../../api/shapes'
import { useCan } from '../../live/me'
import { changeTransfer } from '../../live/patch-transfers'
import { invalidateSoon } from '../../live/refresh'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** What a person can do with transfers. */
export interface Actions {
  takeNext: (teamId: string | undefined) => void
  pickUp: (transfer: Transfer) => void
  open: (transfer: Transfer) => void
  assign: (transfer: Transfer, agentId: string | null) => void
  end: (transfer: Transfer) => void
}

/** Returns the conversation of a transfer: that of its contact on its phone number. */
async function conversationOf(transfer: Transfer): Promise<string | null> {
  const { items } = await call('GET /api/contacts/{id}/messages', {
    params: { id: transfer.contact_id },
    query: { limit: 1, account_id: transfer.account_id },
  })
  return items[0]?.conversation_id ?? null
}

/** Returns the actions for transfers. Each shows its result at once. */
export function useActions(): Actions {
  const client = useQueryClient()
  const navigate = useNavigate()
  const mayOpen = useCan('messages:read')
  return useMemo(() => {
    const refresh = (): void => {
      invalidateSoon(client, 'GET /api/chatbot/transfers')
    }
    const show = (transfer: Transfer): void => {
      changeTransfer(client, transfer)
      refresh()
    }
    const openConversation = async (transfer: Transfer): Promise<void> => {
      if (!mayOpen) return
      const conversationId = await conversationOf(transfer)
      if (conversationId === null) notify(t('transfers.action.unknown'))
      else await navigate({ to: '/inbox/$conversationId', params: { conversationId }, search: {} })
    }
    const pickedUp = async (transfer: Transfer): Promise<void> => {
      show(transfer)
      await openConversation(transfer)
    }
    return {
      takeNext: (teamId) => {
        const query = teamId === undefined ? {} : { team_id: teamId }
        call('POST /api/chatbot/transfers/pickup', { query })
          .then(async ({ transfer }) => {
            if (transfer) await pickedUp(transfer)
            else notify(t('transfers.action.none'))
          })
          .catch(report)
      },
      pickUp: ({ id }) => {
        call('POST /api/chatbot/transfers/{id}/pickup', { params: { id } })
          .then(({ transfer }) => pickedUp(transfer))
          .catch((error: unknown) => {
            refresh()
            report(error)
          })
      },
      open: (transfer) => {
        openConversation(transfer).catch(report)
      },
      assign: ({ id }, agentId) => {
        call('PUT /api/chatbot/transfers/{id}/assign', {
          params: { id },
          body: { agent_id: agentId },
        })
          .then(({ transfer }) => {
            show(transfer)
            const name = transfer.agent_name
            notify(
              name === null
                ? t('transfers.action.returned')
                : t('transfers.action.assigned', { name }),
            )
          })
          .catch(report)
      },
      end: ({ id }) => {
        call('PUT /api/chatbot/transfers/{id}/resume', { params: { id }, body: {} })
          .then(({ transfer }) => {
            show(transfer)
            notify(t('transfers.action.ended'))
          })
          .catch(report)
      },
    }
  }, [client, navigate, mayOpen])
}
