import { call, type Data } from '../../../api/client'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { TextArea } from '../../../parts/field'
import { Guarded, Loaded } from '../../../parts/loaded'
import type { Merge } from '../../../parts/merge'
import { Page, Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

type Stored = Data<'GET /api/consent-settings'>

/** What the form changes: words as lines, and answers, of which `null` is the usual one. */
type Values = Pick<Stored, 'opt_out_reply' | 'opt_in_reply' | 'updated_at'> & {
  opt_out_keywords: string
  opt_in_keywords: string
}

const valuesOf = ({ opt_out_keywords: out, opt_in_keywords: back, ...rest }: Stored): Values => ({
  ...rest,
  opt_out_keywords: out.join('\n'),
  opt_in_keywords: back.join('\n'),
})

const wordsIn = (lines: string): string[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const LABELS = {
  opt_out_keywords: 'consent.out',
  opt_in_keywords: 'consent.in',
  opt_out_reply: 'consent.reply',
  opt_in_reply: 'consent.reply',
  updated_at: 'consent.title',
} as const

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as Stored),
  label: (field) => t(LABELS[field]),
  show: (_, value) => (value === null ? t('consent.reply.usual') : null),
}

interface WayProps {
  draft: Draft<Values>
  /** Whether customers refuse with these words, or want marketing again. */
  way: 'out' | 'in'
}

/** The words of one way, and what customers are answered who write one. */
function Way({ draft: { value, set }, way }: WayProps) {
  const words = `opt_${way}_keywords` as const
  const reply = `opt_${way}_reply` as const
  const answer = value[reply]
  const refused = new Set(wordsIn(value.opt_out_keywords).map((word) => word.toLowerCase()))
  return (
    <Section title={t(`consent.${way}`)} hint={t(`consent.${way}-hint`)}>
      <div className="form">
        <TextArea
          name={words}
          label={t('consent.words')}
          rows={way === 'out' ? 8 : 4}
          value={value[words]}
          onChange={(lines) => {
            set({ [words]: lines })
          }}
          validate={(lines) =>
            way === 'in' && wordsIn(lines).some((word) => refused.has(word.toLowerCase()))
              ? t('parts.field.word-twice')
              : null
          }
        />
        <Select
          label={t('consent.reply')}
          choices={(['usual', 'own', 'none'] as const).map((id) => ({
            id,
            label: t(`consent.reply.${id}`),
          }))}
          value={answer === null ? 'usual' : answer === '' ? 'none' : 'own'}
          onChange={(kind) => {
            set({ [reply]: kind === 'usual' ? null : kind === 'none' ? '' : ' ' })
          }}
        />
        {answer !== null && answer !== '' && (
          <TextArea
            name={reply}
            label={t('consent.reply-text')}
            value={answer}
            onChange={(text) => {
              set({ [reply]: text === '' ? ' ' : text })
            }}
            validate={(text) => (text.trim() === '' ? t('parts.field.required') : null)}
            maxLength={4_096}
          />
        )}
      </div>
    </Section>
  )
}

function ConsentForm({ stored }: { stored: Stored }) {
  const draft = useDraft(valuesOf(stored))
  const refresh = useRefresh('GET /api/consent-settings')
  return (
    <EditPage
      title={t('consent.title')}
      hint={t('consent.hint')}
      draft={draft}
      merge={MERGE}
      onSave={async (changes, { updated_at: ifMatch }) => {
        const { opt_out_keywords: out, opt_in_keywords: back, updated_at: _, ...rest } = changes
        await call('PUT /api/consent-settings', {
          body: {
            ...rest,
            ...(out === undefined ? {} : { opt_out_keywords: wordsIn(out) }),
            ...(back === undefined ? {} : { opt_in_keywords: wordsIn(back) }),
          },
          ifMatch,
        })
        await refresh()
      }}
    >
      <Way draft={draft} way="out" />
      <Way draft={draft} way="in" />
    </EditPage>
  )
}

/** The words by which customers refuse marketing or want it again, and what they are answered. */
export function ConsentWords() {
  const result = useApi('GET /api/consent-settings', {}, useCan('settings:read'))
  const canUpdate = useCan('settings:update')
  if (result.data && canUpdate) return <ConsentForm stored={result.data} />
  return (
    <Page title={t('consent.title')} hint={t('consent.hint')}>
      <Guarded needs="settings:read">
        <Loaded result={result}>{(stored) => <ConsentRead stored={stored} />}</Loaded>
      </Guarded>
    </Page>
  )
}

/** The words for those who only read. */
const ConsentRead = ({ stored }: { stored: Stored }) =>
  (['out', 'in'] as const).map((way) => (
    <Section key={way} title={t(`consent.${way}`)} hint={t(`consent.${way}-hint`)}>
      <p className="chips">
        {stored[`opt_${way}_keywords`].map((word) => (
          <bdi key={word} className="chip">
            {word}
          </bdi>
        ))}
      </p>
    </Section>
  ))
