import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import { call, type Body } from '../../../api/client'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { serverNow } from '../../../live/server-clock'
import { FIRST } from '../../../live/start'
import { Switch } from '../../../parts/choice'
import { DateField } from '../../../parts/date-field'
import { fieldErrors } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { Progress } from '../../../parts/progress'
import { Select } from '../../../parts/select'
import { sentenceOf, Trouble } from '../../../parts/state'
import { TimeField } from '../../../parts/time-field'
import { report } from '../../../parts/toast'
import { dayOf, momentOf, timeOf } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { sentenceOfEvent } from './words'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Spans before now that are chosen with one press, milliseconds. The bodies of older ones are gone. */
const SPANS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const
type Span = keyof typeof SPANS | 'other'

/** A day and a time of day by the clock of the organization. */
interface Local {
  day: string
  time: string
}
const localOf = (ms: number): Local => ({ day: dayOf(ms), time: timeOf(ms) })
const isoOf = ({ day, time }: Local): string =>
  new Date(momentOf(`${day}T${time}:00`)).toISOString()

/** Returns the replay that is shown: one just started, or one of the person that is under way. */
export function useReplay(endpointId: string): [string | null, (id: string) => void] {
  const [started, setStarted] = useState<string | null>(null)
  const work = useApi('GET /api/me/work', FIRST.work).data?.items ?? []
  const running = work.find(
    ({ kind, link }) => kind === 'webhook_replay' && link === `/settings/webhooks/${endpointId}`,
  )
  return [started ?? running?.id ?? null, setStarted]
}

/** The progress of a replay, kept fresh by events, with a button to stop it. */
export function ReplayProgress({ endpointId, replayId }: { endpointId: string; replayId: string }) {
  const params = { id: endpointId, replay_id: replayId }
  const mayStop = useCan('webhooks:update')
  const refresh = useRefresh('GET /api/webhooks/{id}/replays/{replay_id}')
  const replay = useApi('GET /api/webhooks/{id}/replays/{replay_id}', { params }).data
  if (!replay) return null
  const { state, total, delivered, failed } = replay
  return (
    <div className="replay">
      <Progress
        label={t(`webhooks.replay.${state}`)}
        done={delivered + failed}
        total={total}
        state={state === 'running' ? 'running' : 'done'}
        counts={[
          { label: t('webhooks.delivery.delivered'), count: delivered },
          { label: t('webhooks.delivery.exhausted'), count: failed },
        ]}
        {...(mayStop
          ? {
              onCancel: () => {
                call('DELETE /api/webhooks/{id}/replays/{replay_id}', { params })
                  .then(refresh)
                  .catch(report)
              },
            }
          : {})}
      />
    </div>
  )
}

interface WhenProps {
  label: string
  value: Local
  onChange: (value: Local) => void
}

/** One end of a span of time. */
const When = ({ label, value, onChange }: WhenProps) => (
  <div className="fields">
    <DateField
      label={label}
      value={value.day}
      last={dayOf(serverNow())}
      onChange={(day) => {
        onChange({ ...value, day })
      }}
    />
    <TimeField
      label={t('webhooks.replay.time', { what: label })}
      value={value.time}
      onChange={(time) => {
        onChange({ ...value, time })
      }}
    />
  </div>
)

interface Props {
  endpointId: string
  onStarted: (replayId: string) => void
  onClose: () => void
}

/** The window in which a span of time is sent again. It says before how many deliveries that are. */
export function ReplayDialog({ endpointId, onStarted, onClose }: Props) {
  const [now] = useState(serverNow)
  const [span, setSpan] = useState<Span>('hour')
  const [from, setFrom] = useState(() => localOf(now - HOUR_MS))
  const [to, setTo] = useState(() => localOf(now))
  const [onlyFailed, setOnlyFailed] = useState(true)
  const [event, setEvent] = useState<string>('any')
  const catalog = useApi('GET /api/webhooks/events', {}).data?.items ?? []
  const body: Body<'POST /api/webhooks/{id}/replay'> = {
    ...(span === 'other'
      ? { from: isoOf(from), to: isoOf(to) }
      : // a little less than what is kept, because time goes on
        { from: new Date(now - SPANS[span] + (span === 'week' ? HOUR_MS : 0)).toISOString() }),
    only_failed: onlyFailed,
    ...(event === 'any' ? {} : { events: [event] }),
  }
  const params = { id: endpointId }
  const preview = useQuery({
    queryKey: ['POST /api/webhooks/{id}/replay/preview', params, body],
    queryFn: ({ signal }) =>
      call('POST /api/webhooks/{id}/replay/preview', { params, body, signal }),
    retry: false,
  })
  const count = preview.data?.count
  return (
    <FormDialog
      title={t('webhooks.replay')}
      submit={count ? t('webhooks.replay.send', { count }) : t('webhooks.resend')}
      size="medium"
      isDisabled={!count}
      onClose={onClose}
      onSave={async () => {
        const { replay_id: id } = await callOnce('POST /api/webhooks/{id}/replay', { params, body })
        onStarted(id)
      }}
    >
      <Select
        label={t('webhooks.replay.span')}
        choices={([...Object.keys(SPANS), 'other'] as Span[]).map((id) => ({
          id,
          label: t(`webhooks.replay.span.${id}`),
        }))}
        value={span}
        onChange={setSpan}
      />
      {span === 'other' && (
        <>
          <When label={t('webhooks.replay.from')} value={from} onChange={setFrom} />
          <When label={t('webhooks.replay.to')} value={to} onChange={setTo} />
        </>
      )}
      <Select
        label={t('webhooks.column.event')}
        choices={[
          { id: 'any', label: t('webhooks.any-event') },
          ...catalog.map(({ value }) => ({ id: value, label: sentenceOfEvent(value) })),
        ]}
        value={event}
        onChange={setEvent}
      />
      <Switch isSelected={onlyFailed} onChange={setOnlyFailed}>
        {t('webhooks.replay.only-failed')}
      </Switch>
      {preview.isError ? (
        <Trouble>{fieldErrors(preview.error)['from'] ?? sentenceOf(preview.error)}</Trouble>
      ) : (
        <p role="status" aria-busy={preview.isFetching}>
          {count !== undefined && t('webhooks.replay.count', { count })}
        </p>
      )}
    </FormDialog>
  )
}
