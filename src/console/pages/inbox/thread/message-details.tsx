import type { Data } from '../../../api/client'
import { useApi } from '../../../live/query'
import { Dialog } from '../../../parts/dialog'
import { Item, ItemList } from '../../../parts/item-list'
import { Loaded } from '../../../parts/loaded'
import { formatDateTime } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'

type Fact = Data<'GET /api/messages/{id}/events'>['items'][number]

/** What a fact is called. Statuses that WhatsApp brings later keep WhatsApp's word. */
function nameOf(fact: Fact): string {
  if (fact.kind === 'status')
    return findText(`inbox.status.${fact.status ?? ''}`) ?? fact.status ?? ''
  if (fact.kind === 'attempt') return t(`inbox.fact.${fact.outcome ?? 'running'}`)
  return t(`inbox.fact.${fact.kind}`)
}

/** What WhatsApp says about an error, in its own words. */
function reasonOf({ errors = [] }: Fact): string[] {
  return errors
    .flatMap((error) => {
      const { code, title, message } = error as Record<string, unknown>
      const words = typeof message === 'string' ? message : title
      return [code, words].filter((one) => typeof one === 'string' || typeof one === 'number')
    })
    .map(String)
}

/** What helps Meta's support to find a call. */
const traceOf = ({ http_status: status, platform_code: code, trace_id: trace }: Fact): string[] =>
  [status && `HTTP ${status}`, code && t('inbox.fact.code', { code }), trace].filter(
    (one): one is string => typeof one === 'string',
  )

const textOf = ({ content }: Fact): string[] =>
  typeof content?.['text'] === 'string' ? [content['text']] : []

const hintOf = (fact: Fact): string =>
  [formatDateTime(fact.timestamp), ...textOf(fact), ...reasonOf(fact), ...traceOf(fact)].join(' · ')

/** When it was, in seconds, as exact as WhatsApp tells it. */
const secondOf = ({ timestamp }: Fact): number => Math.floor(Date.parse(timestamp) / 1_000)

/** In order of time; what WhatsApp reports follows what was sent in the same second. */
const inOrder = (one: Fact, other: Fact): number =>
  secondOf(one) - secondOf(other) || Number(one.kind === 'status') - Number(other.kind === 'status')

/** The window that tells what happened to a message, in order of time. */
export function MessageDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const result = useApi('GET /api/messages/{id}/events', { params: { id } })
  return (
    <Dialog title={t('inbox.message.details')} size="medium" isOpen onClose={onClose}>
      <Loaded result={result} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">{t('inbox.fact.none')}</p>
          ) : (
            <ItemList label={t('inbox.message.details')}>
              {items.toSorted(inOrder).map((fact, at) => (
                <Item key={at} name={nameOf(fact)} hint={<bdi>{hintOf(fact)}</bdi>} />
              ))}
            </ItemList>
          )
        }
      </Loaded>
    </Dialog>
  )
}
