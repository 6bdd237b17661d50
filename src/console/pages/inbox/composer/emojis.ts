import { useState } from 'react'

import type { Written } from './canned'
import type { Suggestions } from './suggestions'

/** Emoji that are common in conversations with customers, with the names that find them. */
export const EMOJIS: readonly (readonly [emoji: string, names: string])[] = [
  ['😀', 'grinning smile'],
  ['😄', 'smile happy'],
  ['😁', 'grin beaming'],
  ['😅', 'sweat_smile phew'],
  ['😂', 'joy laugh'],
  ['🙂', 'slightly_smiling'],
  ['😉', 'wink'],
  ['😊', 'blush'],
  ['😍', 'heart_eyes love'],
  ['😘', 'kiss'],
  ['😎', 'sunglasses cool'],
  ['🤔', 'thinking hmm'],
  ['😐', 'neutral'],
  ['😴', 'sleeping'],
  ['😢', 'cry sad'],
  ['😭', 'sob'],
  ['😡', 'rage angry'],
  ['🥳', 'partying'],
  ['🤗', 'hugs'],
  ['🙈', 'see_no_evil oops'],
  ['👍', 'thumbsup +1 yes'],
  ['👎', 'thumbsdown -1 no'],
  ['👌', 'ok_hand'],
  ['👏', 'clap'],
  ['🙏', 'pray thanks please'],
  ['💪', 'muscle strong'],
  ['👋', 'wave hello bye'],
  ['🤝', 'handshake deal'],
  ['✌️', 'victory peace'],
  ['🫶', 'heart_hands'],
  ['❤️', 'heart red_heart love'],
  ['💚', 'green_heart'],
  ['💙', 'blue_heart'],
  ['🔥', 'fire'],
  ['✨', 'sparkles'],
  ['🎉', 'tada party'],
  ['🎁', 'gift present'],
  ['🌹', 'rose'],
  ['☀️', 'sun sunny'],
  ['⭐', 'star'],
  ['✅', 'check done'],
  ['❌', 'x cross'],
  ['⚠️', 'warning'],
  ['❓', 'question'],
  ['❗', 'exclamation'],
  ['📎', 'paperclip'],
  ['📦', 'package parcel'],
  ['🚚', 'truck delivery'],
  ['📍', 'pin location'],
  ['📞', 'phone call'],
  ['📷', 'camera'],
  ['💬', 'speech message'],
  ['📅', 'calendar date'],
  ['⏰', 'clock alarm'],
  ['💰', 'money'],
  ['💳', 'card credit_card'],
  ['🧾', 'receipt'],
  ['🍞', 'bread'],
  ['☕', 'coffee'],
  ['🍕', 'pizza'],
  ['🚲', 'bike'],
  ['🏠', 'house home'],
  ['✈️', 'airplane'],
  ['🩹', 'bandage'],
]

const MAX_SHOWN = 6
/** A name that is being typed before the cursor, of at least two letters: `10:30` is a time. */
const TYPED = /(?:^|\s):([a-z+_-][a-z0-9+_-]+)$/i

/** Suggests emoji for the name that is typed after a colon. */
export function useEmojis({ text, setText }: Written, cursor: number): Suggestions {
  const [chosen, choose] = useState(0)
  const before = text.slice(0, cursor)
  const word = TYPED.exec(before)?.[1]?.toLowerCase()
  const found =
    word === undefined
      ? []
      : EMOJIS.filter(([, names]) => names.split(' ').some((name) => name.startsWith(word)))
  return {
    items: found.slice(0, MAX_SHOWN).map(([emoji, names]) => ({
      id: emoji,
      title: emoji,
      hint: `:${names.split(' ')[0] ?? ''}`,
    })),
    chosen: Math.max(0, Math.min(chosen, found.length - 1, MAX_SHOWN - 1)),
    choose,
    pick: (emoji) => {
      setText(`${before.slice(0, -1 - (word?.length ?? 0))}${emoji} ${text.slice(cursor)}`)
    },
  }
}
