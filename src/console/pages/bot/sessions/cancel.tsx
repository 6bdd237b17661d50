import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { call } from '../../../api/client'
import type { BotSessionItem } from '../../../api/shapes'
import { refreshRows } from '../../../live/rows'
import { nameOf } from '../../../parts/contact/name'
import { Confirm } from '../../../parts/dialog'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'

type Asked = Pick<BotSessionItem, 'id' | 'contact'>

/** Returns how a session is ended, which cannot be undone, and the window that asks. */
export function useCancel(): { ask: (session: Asked) => void; window: ReactNode } {
  const client = useQueryClient()
  const [asked, setAsked] = useState<Asked | null>(null)
  const cancel = async ({ id }: Asked): Promise<void> => {
    await call('POST /api/chatbot/sessions/{id}/cancel', { params: { id } })
    await Promise.all([
      refreshRows(client, 'GET /api/chatbot/sessions'),
      client.invalidateQueries({ queryKey: ['GET /api/chatbot/sessions/{id}'] }),
    ])
  }
  return {
    ask: setAsked,
    window: (
      <Confirm
        isOpen={asked !== null}
        title={t('bot.sessions.cancel-title', { name: asked ? nameOf(asked.contact) : '' })}
        text={t('bot.sessions.cancel-hint')}
        action={t('bot.sessions.cancel')}
        onClose={() => {
          setAsked(null)
        }}
        onConfirm={() => {
          if (asked) cancel(asked).catch(report)
        }}
      />
    ),
  }
}
