import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'

import { ApiError } from '../api/error'
import { isTooOften, pauseLeftS } from '../api/pause'
import { usePauseLeft } from '../live/use-pause'
import { findText, t } from '../texts/texts'
import { Button } from './button'
import { Icon, type IconName } from './icons'
import { sentenceOfPermission } from './permission-sentence'

/** What a list shows when it has no items: one sentence and one action. */
export function Empty({
  icon = 'inbox',
  title,
  hint,
  isPage = false,
  children,
}: {
  icon?: IconName
  title: string
  hint?: string
  /** Whether nothing else is on the page, so that the title is its heading. */
  isPage?: boolean
  children?: ReactNode
}) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={28} />
      </span>
      <Title className="empty-title">{title}</Title>
      {hint !== undefined && <p className="muted">{hint}</p>}
      {children}
    </div>
  )
}

/** Returns what WhatsApp refused, with its reason: in the language of the person where it is known. */
function refusalOf({ message, more }: ApiError): string {
  const { platform_code: code, ...said } = (more.details ?? {}) as Partial<
    Record<'platform_code' | 'platform_details' | 'platform_message', string | number | null>
  >
  const known = findText(`parts.refused.${code ?? ''}`)
  const reason = said.platform_details ?? said.platform_message ?? null
  if (known !== null) return known
  return reason === null
    ? message.replaceAll(/\b[Tt]he platform\b/g, 'WhatsApp').replaceAll('`', '')
    : t('parts.error.refused', { reason: String(reason) })
}

/** Returns the sentence that tells a person about an error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) {
    const seconds = isTooOften(error) ? Math.max(pauseLeftS(), 1) : null
    if (seconds !== null) return t('parts.error.rate_limited', { seconds })
    if (error.code === 'platform_rejected') return refusalOf(error)
    const missing = /`([a-z_]+:[a-z_]+)`/.exec(error.message)?.[1]
    return error.code === 'permission_denied' && missing !== undefined
      ? t('parts.error.denied', { permission: sentenceOfPermission(missing) })
      : isMissing(error)
        ? t('parts.error.not_found')
        : (findText(`parts.error.${error.code}`) ?? error.message.replaceAll('`', ''))
  }
  return t('parts.error.offline')
}

/** Whether an address leads to nothing: it is gone, or the address is not a whole one. */
export const isMissing = ({ status, message }: ApiError): boolean =>
  status === 404 || (status === 400 && /^`?\w*id`? must be a UUID/.test(message))

interface ProblemProps {
  error: unknown
  onRetry?: () => void
  /** What else the person should know. */
  children?: ReactNode
}

/** Shows why something could not be loaded, and lets the person try again if that can help. */
export function Problem(props: ProblemProps) {
  const { error, children } = props
  if (error instanceof ApiError && isMissing(error))
    return (
      <Empty icon="question" title={sentenceOf(error)} hint={t('parts.error.missing-hint')}>
        {children}
      </Empty>
    )
  return <Failed {...props} />
}

function Failed({ error, onRetry }: ProblemProps) {
  const requestId = error instanceof ApiError ? error.more.requestId : null
  usePauseLeft() // the sentence counts the seconds
  return (
    <div role="alert" className="problem">
      <Icon name="warning" />
      <div>
        <p dir="auto">{sentenceOf(error)}</p>
        {requestId !== null && (
          <p className="muted small">{t('parts.error.request', { id: requestId })}</p>
        )}
      </div>
      {onRetry && <Button onPress={onRetry}>{t('parts.action.retry')}</Button>}
    </div>
  )
}

/** Shows an error above a form or a list. */
export function Trouble({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="trouble" dir="auto">
      {children}
    </p>
  )
}

/** Shows the outline of what is being loaded, but only if it takes a while. */
export function Skeleton({
  rows = 6,
  shape = 'row',
}: {
  rows?: number
  shape?: 'row' | 'line' | 'bubble'
}) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      setShown(true)
    }, 150)
    return () => {
      clearTimeout(timer)
    }
  }, [])
  if (!isShown) return null
  return (
    <div className="skeletons" aria-busy="true" aria-label={t('parts.state.loading')} role="status">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={`skeleton ${shape}`} />
      ))}
    </div>
  )
}
