import { Button } from '../../../parts/button'
import { Checkbox, Switch } from '../../../parts/choice'
import { PasswordField, TextField } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { KEPT, type AiProps } from './form'

const PROVIDERS = ['openai', 'anthropic', 'google'] as const

/** The key of the provider: it is written, and never shown again. */
function Key({ draft: { value, set } }: AiProps) {
  const { ai_api_key_set: isSet, ai_api_key_last4: last } = value
  return (
    <>
      <PasswordField
        name="ai_api_key"
        label={t('bot.ai.key')}
        hint={
          isSet
            ? t(last === null ? 'bot.ai.key-set' : 'bot.ai.key-ends', { last: last ?? '' })
            : t('bot.ai.key-none')
        }
        autoComplete="off"
        value={value.ai_api_key ?? ''}
        maxLength={1_000}
        onChange={(key) => {
          set({ ai_api_key: key === '' ? KEPT : key.trim() })
        }}
      />
      {isSet && value.ai_api_key !== null && (
        <div>
          <Button
            icon="trash"
            onPress={() => {
              set({ ai_api_key: null, ai_enabled: false })
            }}
          >
            {t('bot.ai.key-remove')}
          </Button>
        </div>
      )}
      {value.ai_api_key === null && <p className="muted small">{t('bot.ai.key-removed')}</p>}
    </>
  )
}

/** Who answers: the provider, its model, its key, and what it may do with conversations. */
export function Provider({ draft }: AiProps) {
  const { value, set } = draft
  const { at } = value.ai_data_terms
  return (
    <Section title={t('bot.ai.provider-title')} hint={t('bot.ai.provider-hint')}>
      <div className="form">
        <Switch
          isSelected={value.ai_enabled}
          onChange={(isOn) => {
            set({ ai_enabled: isOn })
          }}
        >
          {t('bot.ai.enabled')}
        </Switch>
        <Select
          name="ai_provider"
          label={t('bot.ai.provider')}
          choices={PROVIDERS.map((id) => ({ id, label: t(`bot.ai.provider.${id}`) }))}
          value={value.ai_provider}
          onChange={(provider) => {
            set({
              ai_provider: provider,
              ...(provider === 'openai' ? {} : { ai_base_url: null }),
            })
          }}
        />
        <TextField
          name="ai_model"
          label={t('bot.ai.model')}
          hint={t('bot.ai.model-hint')}
          value={value.ai_model ?? ''}
          maxLength={100}
          onChange={(model) => {
            set({ ai_model: model === '' ? null : model })
          }}
        />
        {value.ai_provider === 'openai' && (
          <TextField
            name="ai_base_url"
            label={t('bot.ai.url')}
            hint={t('bot.ai.url-hint')}
            inputMode="url"
            value={value.ai_base_url ?? ''}
            maxLength={2_000}
            onChange={(url) => {
              set({ ai_base_url: url === '' ? null : url })
            }}
          />
        )}
        <Key draft={draft} />
        <div className="choice-with-hint">
          <Checkbox
            isSelected={value.ai_data_terms_confirmed}
            onChange={(isConfirmed) => {
              set({ ai_data_terms_confirmed: isConfirmed })
            }}
          >
            {t('bot.ai.terms')}
          </Checkbox>
          {at !== null && (
            <p className="muted small">{t('bot.ai.terms-at', { time: formatDateTime(at) })}</p>
          )}
        </div>
      </div>
    </Section>
  )
}
