import type { TimelineEntry } from '../../../api/shapes'
import { formatDateTime, formatTime } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'

/** Returns a detail of an entry if it is a text. */
const detail = ({ details }: TimelineEntry, ...names: string[]): string | null => {
  const value = names.map((name) => details[name]).find((one) => typeof one === 'string')
  return typeof value === 'string' ? value : null
}

/** Returns what an entry is about: a person, team, tag, campaign, time or priority. */
function subjectOf(event: TimelineEntry): string {
  const { kind } = event
  if (kind === 'priority') {
    const priority = detail(event, 'to') ?? ''
    return findText(`inbox.priority.${priority}`) ?? priority
  }
  if (kind === 'snoozed') {
    const until = detail(event, 'until')
    return until === null ? t('inbox.snooze.reply') : formatDateTime(until)
  }
  const name = detail(event, 'user_name', 'team_name', 'tag_name', 'campaign_name')
  // without a person and a team it waits for everybody
  const isToAll = kind === 'transferred' && detail(event, 'user_id', 'team_id') === null
  return name ?? t(isToAll ? 'inbox.event.queue' : 'inbox.event.gone')
}

/** One line about what happened in the conversation, between its messages. */
export function EventLine({ event }: { event: TimelineEntry }) {
  const { at, kind, actor } = event
  const name = actor.name ?? t(`inbox.event.actor.${actor.type}`)
  return (
    <p className="event">
      {t(`inbox.event.${kind}`, { actor: name, name: subjectOf(event) })}
      {' · '}
      <time dateTime={at} title={formatDateTime(at)}>
        {formatTime(at)}
      </time>
    </p>
  )
}
