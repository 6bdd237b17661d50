import { Button, IconButton } from '../../../parts/button'
import { Switch } from '../../../parts/choice'
import { CountedField } from '../../../parts/counted'
import type { Draft } from '../../../parts/draft'
import { NumberField, TextArea, TextField } from '../../../parts/field'
import { FoundSelect } from '../../../parts/found-select'
import { Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { WordsField } from '../../../parts/words-field'
import { t } from '../../../texts/texts'
import type { Kind, SourceForm } from './source-form'

/** What a part of the page changes. */
export interface SourceProps {
  draft: Draft<SourceForm>
}

const EVERY = 'every'
/** Longest text that can be typed, characters. */
const LONGEST = 100_000
const METHODS = ['GET', 'POST'] as const
const MOST_HEADERS = 20

/** The request that brings a page. Values of headers are written, and never shown again. */
function RequestFields({ draft: { value, set } }: SourceProps) {
  return (
    <>
      <TextField
        name="api_config.url"
        label={t('bot.ai.address')}
        hint={t('bot.ai.address-hint')}
        inputMode="url"
        isRequired
        maxLength={2_048}
        value={value.url}
        onChange={(url) => {
          set({ url })
        }}
      />
      <Select
        label={t('bot.ai.method')}
        choices={METHODS.map((id) => ({ id, label: id }))}
        value={value.method}
        onChange={(method) => {
          set({ method })
        }}
      />
      {value.method === 'POST' && (
        <TextArea
          name="api_config.body"
          label={t('bot.ai.body')}
          maxLength={16_000}
          value={value.body}
          onChange={(body) => {
            set({ body })
          }}
        />
      )}
      <Headers draft={{ value, set } as SourceProps['draft']} />
      <TextField
        name="api_config.response_path"
        label={t('bot.ai.path')}
        hint={t('bot.ai.path-hint')}
        maxLength={200}
        value={value.path}
        onChange={(path) => {
          set({ path })
        }}
      />
      <NumberField
        name="api_config.cache_seconds"
        label={t('bot.ai.seconds')}
        range={[0, 86_400]}
        value={value.seconds}
        onChange={(seconds) => {
          set({ seconds })
        }}
      />
    </>
  )
}

function Headers({ draft: { value, set } }: SourceProps) {
  const { headers } = value
  const change = (at: number, header: SourceForm['headers'][number]): void => {
    set({ headers: headers.map((one, index) => (index === at ? header : one)) })
  }
  return (
    <fieldset className="bot-buttons">
      <legend>{t('bot.ai.headers')}</legend>
      {headers.map((header, at) => (
        <div key={at} className="bot-button">
          <TextField
            label={t('bot.ai.header-name')}
            value={header.name}
            maxLength={200}
            onChange={(name) => {
              change(at, { ...header, name })
            }}
          />
          <TextField
            name={`api_config.headers.${header.name}`}
            label={t('bot.ai.header-value')}
            value={header.value}
            onChange={(text) => {
              change(at, { ...header, value: text })
            }}
          />
          <IconButton
            icon="trash"
            label={t('bot.ai.header-remove', { name: header.name })}
            onPress={() => {
              set({ headers: headers.filter((_, index) => index !== at) })
            }}
          />
        </div>
      ))}
      {headers.length < MOST_HEADERS && (
        <div>
          <Button
            icon="plus"
            onPress={() => {
              set({ headers: [...headers, { name: '', value: '' }] })
            }}
          >
            {t('bot.ai.header-add')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** Where the knowledge comes from, and when it is used. */
export function SourceFields({ draft, kind }: SourceProps & { kind: Kind }) {
  const { value, set } = draft
  return (
    <Section title={t(`bot.ai.kind.${kind}`)} hint={t(`bot.ai.kind-hint.${kind}`)}>
      <div className="form bot-wide-form">
        <TextField
          name="name"
          label={t('bot.rules.name')}
          isRequired
          maxLength={255}
          value={value.name}
          onChange={(name) => {
            set({ name })
          }}
        />
        {kind === 'text' && (
          <CountedField
            name="content"
            label={t('bot.ai.text')}
            most={LONGEST}
            rows={14}
            isRequired
            value={value.content}
            onChange={(content) => {
              set({ content })
            }}
          />
        )}
        {kind === 'page' && <RequestFields draft={draft} />}
        <WordsField
          name="trigger_keywords"
          label={t('bot.ai.triggers')}
          hint={t('bot.ai.triggers-hint')}
          most={50}
          longest={64}
          words={value.trigger_keywords}
          onChange={(words) => {
            set({ trigger_keywords: words })
          }}
        />
        <FoundSelect
          kind="account"
          label={t('bot.rules.number')}
          isHiddenIfEmpty
          first={[{ id: EVERY, label: t('bot.rules.any-number') }]}
          value={value.account_id ?? EVERY}
          onChange={(id) => {
            set({ account_id: id === EVERY ? null : id })
          }}
        />
        <NumberField
          name="priority"
          label={t('bot.rules.priority')}
          hint={t('bot.ai.priority-hint')}
          range={[0, 1_000]}
          value={Math.max(0, value.priority)}
          onChange={(priority) => {
            set({ priority })
          }}
        />
        <Switch
          isSelected={value.enabled}
          onChange={(isOn) => {
            set({ enabled: isOn })
          }}
        >
          {t('bot.rules.enabled')}
        </Switch>
      </div>
    </Section>
  )
}
