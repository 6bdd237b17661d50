import { useState } from 'react'

import { call } from '../../../api/client'
import type { InboundEvent } from '../../../api/shapes'
import { useMe } from '../../../live/me'
import { Button } from '../../../parts/button'
import { Confirm, typedFor } from '../../../parts/dialog'
import type { Selected } from '../../../parts/table-bulk'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { replayOf, useJournalRefresh } from './use-replay'
import { canReplay } from './words'

/** What the journal is filtered by. */
interface Filter {
  state: InboundEvent['state'] | undefined
  account_id: string | undefined
  from?: string
  to?: string
}

/**
 * Processes the selected deliveries again: those that are shown one by one, or, for super admins, all
 * that match the filter.
 */
export function ReplaySelected({
  selected,
  filter,
}: {
  selected: Selected<InboundEvent>
  filter: Filter
}) {
  const { is_super_admin: isSuperAdmin } = useMe()
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const refresh = useJournalRefresh()
  const { state, account_id: account, ...span } = filter
  const rows = selected.rows.filter(canReplay)
  const isRunning = state === 'pending' || state === 'processing'
  const mayReplay = selected.isAll ? isSuperAdmin && !isRunning : rows.length > 0
  const all = async (): Promise<number> => {
    // all rows of an account are of its number
    const number = account === undefined ? null : selected.rows[0]?.phone_number_id
    const body = {
      ...span,
      ...(state === undefined || isRunning ? {} : { state }),
      ...(number == null ? {} : { phone_number_id: number }),
    }
    return (await call('POST /api/inbound/replay', { body })).queued
  }
  const shown = async (): Promise<number> => {
    for (const { id } of rows) await replayOf(id)
    return rows.length
  }
  const run = (): void => {
    setBusy(true)
    const done = selected.isAll ? all() : shown()
    done
      .then((count) => {
        notify(t('incoming.replayed', { count }))
        selected.clear()
      })
      .catch(report)
      .finally(() => {
        setBusy(false)
        refresh().catch(report)
      })
  }
  return (
    <>
      {selected.isAll && !isSuperAdmin && <span className="small">{t('incoming.only-shown')}</span>}
      <Button
        look="quiet"
        icon="refresh"
        isDisabled={!mayReplay}
        isPending={isBusy}
        onPress={() => {
          setAsked(true)
        }}
      >
        {t('incoming.replay')}
      </Button>
      {isAsked && (
        <Confirm
          isOpen
          isDangerous={false}
          title={t('incoming.replay-title', {
            count: selected.isAll ? selected.count : rows.length,
          })}
          text={t('incoming.replay-hint')}
          action={t('incoming.replay')}
          typed={selected.isAll ? typedFor(selected.count) : undefined}
          onConfirm={run}
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </>
  )
}
