import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { call } from '../../../api/client'
import type { AiContext } from '../../../api/shapes'
import { keyOf } from '../../../live/query'
import { Confirm } from '../../../parts/dialog'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'

/** Returns what shows a source everywhere as it is stored now. */
export function useKeepSource(): (source: AiContext) => Promise<void> {
  const client = useQueryClient()
  return async (source) => {
    const params = { id: source.id }
    client.setQueryData(keyOf('GET /api/chatbot/ai-contexts/{id}', { params }), source)
    await client.invalidateQueries({ queryKey: ['GET /api/chatbot/ai-contexts'] })
  }
}

type Named = Pick<AiContext, 'id' | 'name'>

/** Returns how a source is deleted, which cannot be undone, and the window that asks. */
export function useDeleteSource(onDone: () => void = () => undefined): {
  ask: (source: Named) => void
  window: ReactNode
} {
  const client = useQueryClient()
  const [asked, setAsked] = useState<Named | null>(null)
  const remove = async ({ id }: Named): Promise<void> => {
    await call('DELETE /api/chatbot/ai-contexts/{id}', { params: { id } })
    onDone()
    await client.invalidateQueries({ queryKey: ['GET /api/chatbot/ai-contexts'] })
  }
  return {
    ask: setAsked,
    window: (
      <Confirm
        isOpen={asked !== null}
        title={t('bot.ai.delete-title', { name: asked?.name ?? '' })}
        text={t('bot.ai.delete-hint')}
        action={t('bot.ai.delete')}
        onClose={() => {
          setAsked(null)
        }}
        onConfirm={() => {
          if (asked) remove(asked).catch(report)
        }}
      />
    ),
  }
}
