import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { ApiError } from '../api/error'
import type { PermissionKey } from '../api/shapes'
import { useMe } from '../live/me'
import { useApi } from '../live/query'
import { can } from '../api/shapes'
import { sentenceOfPermission } from './permission-sentence'
import { t } from '../texts/texts'
import { Button } from './button'
import { Empty, isMissing, Problem, Skeleton } from './state'
import { report } from './toast'

interface Props<T> {
  result: UseQueryResult<T>
  /** Number of rows of the outline that is shown while it loads. */
  rows?: number
  /** The outline of a page that looks in no way like rows. */
  outline?: ReactNode
  children: (data: T) => ReactNode
}

/** Tells people with several organizations that what is not found may belong to another one. */
export function Elsewhere({ error }: { error: unknown }) {
  const { name } = useMe().organization
  const isGone = error instanceof ApiError && isMissing(error)
  const { data } = useApi('GET /api/me/organizations', {}, isGone)
  if (!isGone || (data?.organizations ?? []).length < 2) return null
  return <p className="muted">{t('parts.error.elsewhere', { name })}</p>
}

/** Shows what a request loaded. Before that its outline, or why it could not be loaded. */
export function Loaded<T>({ result, rows = 4, outline, children }: Props<T>) {
  if (result.data !== undefined) return children(result.data)
  if (result.error)
    return (
      <Problem
        error={result.error}
        onRetry={() => {
          result.refetch().catch(report)
        }}
      >
        <Elsewhere error={result.error} />
      </Problem>
    )
  return outline ?? <Skeleton rows={rows} />
}

interface GuardedProps {
  /** The permission, or all that are needed. */
  needs: PermissionKey | readonly PermissionKey[]
  /** Another permission that is enough. */
  or?: PermissionKey
  children: ReactNode
}

/**
 * Shows a screen only to users with what it needs. Others are told which permission is missing, or,
 * who joined with nothing but the ID of the organization, that an administrator has to confirm them.
 */
export function Guarded({ needs, or, children }: GuardedProps) {
  const me = useMe()
  const missing = [needs].flat().find((one) => !can(me, one))
  if (missing === undefined || (or !== undefined && can(me, or))) return children
  if (!me.is_confirmed)
    return (
      <Empty
        icon="lock"
        title={t('list.denied.unconfirmed')}
        hint={t('list.denied.unconfirmed-hint')}
      />
    )
  return (
    <Empty
      icon="lock"
      title={t('list.denied.title')}
      hint={t('list.denied.hint', { permission: sentenceOfPermission(missing) })}
    />
  )
}

interface PagerProps {
  page: number
  /** `null` if there are too many to count. */
  pages: number | null
  /** Whether a page follows; by default told by `pages`. */
  hasNext?: boolean
  onPage: (page: number) => void
}

/** Buttons to the pages before and after this one. Nothing if there is only one page. */
export function Pager({ page, pages, hasNext = page < (pages ?? 1), onPage }: PagerProps) {
  if (!hasNext && page <= 1) return null
  return (
    <nav className="pager" aria-label={t('list.pager.label')}>
      <Button
        isDisabled={page <= 1}
        onPress={() => {
          onPage(page - 1)
        }}
      >
        {t('list.pager.previous')}
      </Button>
      <span className="muted">
        {pages === null
          ? t('list.pager.position-of-many', { page })
          : t('list.pager.position', { page, pages })}
      </span>
      <Button
        isDisabled={!hasNext}
        onPress={() => {
          onPage(page + 1)
        }}
      >
        {t('list.pager.next')}
      </Button>
    </nav>
  )
}
