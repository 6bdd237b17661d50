declare module '*.md' {
  /** The text of the file. */
  const text: string
  export default text
}
