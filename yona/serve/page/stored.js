// What the page remembers from one visit to the next. Where a browser forbids it, nothing is.
export const stored = (name, value) => {
  try {
    return value === undefined ? localStorage.getItem("yona." + name) : localStorage.setItem("yona." + name, value);
  } catch {
    return null;
  }
};
