import type { ListFilter } from '../../../live/conversation-list'
import { FoundName, type Kind } from '../../../parts/found-select'
import { t, type TextKey } from '../../../texts/texts'

/** What a filter names by its ID. */
const NAMED: Partial<Record<keyof ListFilter, { kind: Kind; says: TextKey }>> = {
  assigned_to: { kind: 'colleague', says: 'inbox.filter.assigned' },
  team_id: { kind: 'team', says: 'inbox.filter.team' },
  account_id: { kind: 'account', says: 'inbox.filter.account' },
  tags: { kind: 'tag', says: 'inbox.filter.tag' },
  campaign_id: { kind: 'campaign', says: 'inbox.filter.campaign' },
}

/** What a filter says by words of its own. */
const SAID: Record<string, TextKey> = {
  'state open': 'inbox.view.all',
  'state snoozed': 'inbox.view.snoozed',
  'state pending': 'inbox.view.bot',
  'state closed': 'inbox.view.closed',
  'assigned_to me': 'inbox.view.mine',
  'assigned_to none': 'inbox.view.unassigned',
  'waiting mine': 'inbox.view.queue',
  'mentioned me': 'inbox.view.mentions',
  'window closing': 'inbox.view.closing',
  'unread true': 'inbox.filter.unread',
  'sort oldest_unanswered': 'inbox.filter.waiting',
}

/** What a saved view shows, in words. */
export const FilterWords = ({ filter }: { filter: ListFilter }) =>
  Object.entries(filter).map(([name, value], nth) => (
    <span key={name}>
      {nth > 0 && ' · '}
      <Condition name={name} value={String(value)} />
    </span>
  ))

function Condition({ name, value }: { name: string; value: string }) {
  const said = SAID[`${name} ${value}`]
  const named = NAMED[name as keyof ListFilter]
  if (said !== undefined) return t(said)
  if (named !== undefined) {
    const label = `${t(named.says)}: `
    return (
      <>
        {label}
        <FoundName kind={named.kind} id={value} />
      </>
    )
  }
  return <bdi>{name === 'search' ? `“${value}”` : [name, value].join(': ')}</bdi>
}
