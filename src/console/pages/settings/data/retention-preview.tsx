import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { ApiError } from '../../../api/error'
import { call, type Body, type Data } from '../../../api/client'
import { Section } from '../../../parts/page'
import { sentenceOf, Trouble } from '../../../parts/state'
import { formatBytes } from '../../../texts/format'
import { t } from '../../../texts/texts'

/** Limits that are tried. */
export type Tried = Body<'POST /api/retention/preview'>
/** How much of what would go. */
export type Counts = Data<'POST /api/retention/preview'>['would_delete']

/** Pause in typing after which is counted, milliseconds. */
const PAUSE_MS = 400

/** Counts what the next night would erase with these limits. */
export const countGone = async (tried: Tried, signal?: AbortSignal): Promise<Counts> =>
  (await call('POST /api/retention/preview', { body: tried, ...(signal ? { signal } : {}) }))
    .would_delete

/** Returns how many things would go. */
export const sumOf = ({ messages, media, notes, contacts }: Counts): number =>
  messages + media + notes + contacts

/** How much of what would go, each in a line. */
export function Gone({ counts }: { counts: Counts }) {
  const { media_bytes: bytes, ...each } = counts
  const size = formatBytes(bytes)
  const kinds = (['messages', 'media', 'notes', 'contacts'] as const).filter(
    (kind) => each[kind] > 0,
  )
  if (kinds.length === 0) return <p className="muted">{t('retention.nothing')}</p>
  return (
    <ul className="sentences">
      {kinds.map((kind) => (
        <li key={kind}>{t(`retention.would.${kind}`, { count: each[kind], size })}</li>
      ))}
    </ul>
  )
}

/** Whether a limit is not one, which its field says. */
const isOfFields = (error: unknown): boolean =>
  error instanceof ApiError && error.more.fields.length > 0

/** Says what would go with the limits of the form, a moment after they were changed. */
export function RetentionPreview({ tried }: { tried: Tried }) {
  const wanted = JSON.stringify(tried)
  const [settled, setSettled] = useState(wanted)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(wanted)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [wanted])
  const { data, error, isFetching } = useQuery({
    queryKey: ['POST /api/retention/preview', settled],
    queryFn: ({ signal }) => countGone(JSON.parse(settled) as Tried, signal),
    placeholderData: (before) => before,
    staleTime: 0,
    retry: false,
  })
  const isOld = isFetching || settled !== wanted
  return (
    <Section title={t('retention.preview')} hint={t('retention.preview-hint')}>
      <div role="status" aria-busy={isOld}>
        {error ? (
          <Trouble>{isOfFields(error) ? t('parts.error.marked') : sentenceOf(error)}</Trouble>
        ) : data === undefined || isOld ? (
          <p className="muted">{t('retention.counting')}</p>
        ) : (
          <Gone counts={data} />
        )}
      </div>
    </Section>
  )
}
