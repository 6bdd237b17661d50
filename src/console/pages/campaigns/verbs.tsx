import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import { ApiError } from '../../api/error'
import type { Campaign } from '../../api/shapes'
import { keyOf } from '../../live/query'
import { changeRow } from '../../live/rows'
import { Confirm, typedFor } from '../../parts/dialog'
import { report } from '../../parts/toast'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { ResumeRestored, type Restored } from './resume-restored'

/** What can be done with a campaign that is under way. */
export type Verb = 'pause' | 'resume' | 'cancel'

/** What can be done with a campaign in a state. */
export const VERBS: Partial<Record<Campaign['status'], readonly Verb[]>> = {
  scheduled: ['cancel'],
  sending: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
}

/** Whether a campaign can still be prepared. */
export const isPrepared = ({ status }: Pick<Campaign, 'status'>): boolean =>
  status === 'draft' || status === 'scheduled'

export const VERB_ICONS = { pause: 'pause', resume: 'play', cancel: 'stop' } as const

/** The calls behind the verbs; `send-again` resumes for people who may have the message, too. */
const calls = {
  pause: (id: string) => call('POST /api/campaigns/{id}/pause', { params: { id } }),
  resume: (id: string) => call('POST /api/campaigns/{id}/resume', { params: { id }, body: {} }),
  'send-again': (id: string) =>
    call('POST /api/campaigns/{id}/resume', { params: { id }, body: { include_unknown: true } }),
  cancel: (id: string) => call('POST /api/campaigns/{id}/cancel', { params: { id } }),
}

/**
 * Returns how to pause, resume and cancel a campaign, and the windows that ask before. Lists and pages
 * show what became of it.
 */
export function useVerbs(): {
  steer: (verb: Verb, campaign: Campaign) => void
  windows: ReactNode
} {
  const client = useQueryClient()
  const [restored, setRestored] = useState<Restored | null>(null)
  const [asked, setAsked] = useState<Campaign | null>(null)
  const run = (verb: keyof typeof calls, campaign: Campaign): void => {
    const { id } = campaign
    calls[verb](id)
      .then((changed) => {
        changeRow(client, 'GET /api/campaigns', id, () => changed)
        client.setQueryData(keyOf('GET /api/campaigns/{id}', { params: { id } }), changed)
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'restored') report(error)
        else setRestored({ campaign, people: peopleIn(error) })
      })
  }
  return {
    steer: (verb, campaign) => {
      if (verb === 'cancel') setAsked(campaign)
      else run(verb, campaign)
    },
    windows: (
      <>
        {asked && (
          <Confirm
            isOpen
            title={t('campaigns.cancel-title', { name: asked.name })}
            text={t('campaigns.cancel-text', { left: formatNumber(asked.pending_count) })}
            action={t('campaigns.cancel')}
            typed={typedFor(asked.pending_count)}
            onConfirm={() => {
              run('cancel', asked)
            }}
            onClose={() => {
              setAsked(null)
            }}
          />
        )}
        {restored && (
          <ResumeRestored
            restored={restored}
            onSend={() => {
              run('send-again', restored.campaign)
            }}
            onClose={() => {
              setRestored(null)
            }}
          />
        )}
      </>
    ),
  }
}

const peopleIn = ({ more }: ApiError): number => (more.details as { recipients: number }).recipients
