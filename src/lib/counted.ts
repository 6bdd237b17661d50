/** Returns a count with the word for one or for several, such as "1 message" and "2,000 messages". */
export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
