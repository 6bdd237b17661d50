import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import type { Campaign } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Confirm, typedFor } from '../../parts/dialog'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { stepOf, type CampaignForm, type StepId } from './form'
import { useKeep } from './use-save'

interface Launch {
  campaign: Campaign | null
  form: CampaignForm
  /** How many get it, as the check found. */
  people: number
  save: () => Promise<Campaign>
  show: (step: StepId) => void
}

interface Finish {
  label: string
  isDisabled: boolean
  onFinish: () => Promise<void>
}

/** Returns how a campaign is started or scheduled, and the window that asks before. */
export function useLaunch({ campaign, form, people, save, show }: Launch): {
  finish: (isChecked: boolean) => Finish | undefined
  windows: ReactNode
} {
  const navigate = useNavigate()
  const keep = useKeep()
  const mayExecute = useCan('campaigns:execute')
  const [answer, setAnswer] = useState<((isYes: boolean) => void) | null>(null)
  const { scheduled_at: at } = form
  const label = at === null ? t('wizard.start') : t('wizard.schedule')
  const start = async (): Promise<void> => {
    const { id } = await save()
    const begun =
      at === null
        ? await call('POST /api/campaigns/{id}/start', { params: { id }, body: { now: true } })
        : await call('POST /api/campaigns/{id}/schedule', {
            params: { id },
            body: { scheduled_at: at },
          })
    keep(begun)
    await navigate({ to: '/campaigns/$campaignId', params: { campaignId: id }, search: {} })
  }
  const run = async (): Promise<void> => {
    const isYes = await new Promise<boolean>((resolve) => {
      setAnswer(() => resolve)
    })
    setAnswer(null)
    if (!isYes) return
    try {
      await start()
    } catch (error) {
      // what the server refused stands at its field, which another step may have
      const step = stepOf(error)
      if (step !== null) show(step)
      throw error
    }
  }
  return {
    finish: (isChecked) =>
      mayExecute && campaign !== null
        ? { label, isDisabled: !isChecked || people === 0, onFinish: run }
        : undefined,
    windows: answer && (
      <Confirm
        isOpen
        isDangerous={false}
        title={t('wizard.ask', { name: form.name })}
        text={
          at === null
            ? t('wizard.ask-now', { count: people })
            : t('wizard.ask-later', { count: people, time: formatDateTime(at) })
        }
        action={label}
        typed={typedFor(people)}
        onConfirm={() => {
          answer(true)
        }}
        onClose={() => {
          // a window closes also when its question is answered with yes
          queueMicrotask(() => {
            answer(false)
          })
        }}
      />
    ),
  }
}
