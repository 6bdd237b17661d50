import { useState, type ReactNode } from 'react'

import { useNow } from '../live/use-now'
import { formatDuration, formatNumber, formatPercent } from '../texts/format'
import { t } from '../texts/texts'
import { Button } from './button'
import { Icon } from './icons'
import { Trouble } from './state'

interface Props {
  /** What is done, such as "Import of customers.csv". */
  label: string
  done: number
  /** How much there is to do; `null` while nobody knows. */
  total: number | null
  state: 'running' | 'done' | 'failed'
  /** Time left if the caller knows it, milliseconds; otherwise told from the speed so far. */
  leftMs?: number | null
  /** Counts by what became of them, such as "new" and "invalid". */
  counts?: readonly { label: string; count: number }[]
  /** Why it failed. */
  error?: string
  /** Goes on without the person, who may do something else. */
  onBackground?: () => void
  onCancel?: () => void
  /** What follows when it is done. */
  children?: ReactNode
}

/** Time after which the speed so far tells how long the rest takes, milliseconds. */
const FIRST_MS = 3_000
const TICK_MS = 1_000
const MINUTE_MS = 60_000

/** A job of the server: how far it is, what came of it, and how long it still takes. */
export function Progress(props: Props) {
  const { label, done, total, state, counts = [], error, onBackground, onCancel, children } = props
  const leftMs = useLeft(props)
  const share = total === null || total === 0 ? null : Math.min(1, done / total)
  return (
    <div className={`progress ${state}`} role="group" aria-label={label}>
      <p className="progress-head">
        {state !== 'running' && <Icon name={state === 'done' ? 'check' : 'warning'} size={18} />}
        <b className="grow" dir="auto">
          {label}
        </b>
        {share !== null && (
          <span className="muted">{formatPercent(Math.floor(share * 100) / 100)}</span>
        )}
      </p>
      <span
        className={share === null && state === 'running' ? 'progress-bar unknown' : 'progress-bar'}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        {...(share === null ? {} : { 'aria-valuenow': done, 'aria-valuemax': total ?? 0 })}
      >
        <span style={{ inlineSize: `${(state === 'done' ? 1 : (share ?? 0.3)) * 100}%` }} />
      </span>
      <p className="muted small" role="status">
        {total === null
          ? done > 0 && t('parts.progress.done', { done: formatNumber(done) })
          : t('parts.progress.of', { done: formatNumber(done), total: formatNumber(total) })}
        {leftMs !== null &&
          ` · ${leftMs < MINUTE_MS ? t('parts.progress.soon') : t('parts.progress.left', { time: formatDuration(leftMs) })}`}
      </p>
      {counts.length > 0 && (
        <dl className="progress-counts">
          {counts.map((one) => (
            <div key={one.label}>
              <dt className="muted small">{one.label}</dt>
              <dd>{formatNumber(one.count)}</dd>
            </div>
          ))}
        </dl>
      )}
      {error !== undefined && <Trouble>{error}</Trouble>}
      {state === 'running' && (onBackground || onCancel) && (
        <footer className="actions">
          {onCancel && (
            <Button look="quiet" onPress={onCancel}>
              {t('parts.action.cancel')}
            </Button>
          )}
          {onBackground && <Button onPress={onBackground}>{t('parts.progress.background')}</Button>}
        </footer>
      )}
      {state !== 'running' && children}
    </div>
  )
}

/** Returns how long the rest takes at the speed since the job was first seen; `null` if unknown. */
function useLeft({ done, total, state, leftMs }: Props): number | null {
  const now = useNow(TICK_MS)
  const [first] = useState({ at: now, done })
  if (state !== 'running') return null
  if (leftMs !== undefined) return leftMs
  const passedMs = now - first.at
  const made = done - first.done
  if (total === null || made <= 0 || passedMs < FIRST_MS) return null
  return ((total - done) * passedMs) / made
}
