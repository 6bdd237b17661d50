import { Button } from '../../parts/button'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { Buttons } from './buttons'
import { EMPTY_CARD, type CardForm, type TemplateForm } from './form'
import { MediaField } from './media'
import { Remove, Words } from './words'

const MOST_CARDS = 10
const LEAST_CARDS = 2

interface Props {
  form: TemplateForm
  path: string
  onChange: (cards: CardForm[]) => void
}

/** The cards of a carousel. All have the same kind of picture and the same buttons. */
export function Cards({ form, path, onChange }: Props) {
  const { cards } = form
  const change = (index: number, more: Partial<CardForm>): void => {
    onChange(cards.map((one, nth) => (nth === index ? { ...one, ...more } : one)))
  }
  return (
    <div className="form">
      <p className="muted small">{t('templates.cards-hint')}</p>
      {cards.map((card, index) => (
        <fieldset key={index} className="button-form">
          <legend className="visually-hidden">
            {t('templates.card-number', { number: index + 1 })}
          </legend>
          <div className="button-head">
            <b className="grow">{t('templates.card-number', { number: index + 1 })}</b>
            {cards.length > LEAST_CARDS && (
              <Remove
                label={t('templates.card-remove', { number: index + 1 })}
                onPress={() => {
                  onChange(cards.toSpliced(index, 1))
                }}
              />
            )}
          </div>
          <Select
            label={t('templates.header')}
            choices={(['IMAGE', 'VIDEO'] as const).map((id) => ({
              id,
              label: t(`templates.header.${id}`),
            }))}
            value={card.format}
            onChange={(format) => {
              onChange(cards.map((one) => ({ ...one, format })))
            }}
          />
          <MediaField
            accountId={form.accountId}
            format={card.format}
            mediaId={card.mediaId}
            onChange={(mediaId) => {
              change(index, { mediaId })
            }}
          />
          <Words
            name={`${path}.cards.${index}.components.1.text`}
            label={t('templates.card-body')}
            most={160}
            rows={3}
            value={card.body}
            samples={card.samples}
            onChange={(body) => {
              change(index, { body })
            }}
            onSamples={(samples) => {
              change(index, { samples })
            }}
          />
          <Buttons
            path={`${path}.cards.${index}`}
            most={2}
            buttons={card.buttons}
            onChange={(buttons) => {
              change(index, { buttons })
            }}
          />
        </fieldset>
      ))}
      {cards.length < MOST_CARDS && (
        <Button
          icon="plus"
          onPress={() => {
            onChange([...cards, { ...EMPTY_CARD, ...cards[0], mediaId: null, body: '' }])
          }}
        >
          {t('templates.card-add')}
        </Button>
      )}
    </div>
  )
}
