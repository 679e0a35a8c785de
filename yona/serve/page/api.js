// The server's answers. Every failure is an ApiError with a sentence to show; `wait` is set, in
// seconds, when the server asks to come back later.
import { t } from "./i18n.js";
import { stored } from "./stored.js";

export class ApiError extends Error {
  constructor(message, { status = 0, wait = 0 } = {}) {
    super(message);
    this.status = status;
    this.wait = wait;
  }
}

const failure = async answer => {
  let message = "";
  try {
    const { error } = await answer.json();
    message = error?.message ?? error ?? ""; // of OpenAI's API, or of yona's own
  } catch { /* no JSON: a proxy's page, say */ }
  const busy = answer.status === 429 || answer.status === 503;
  const wait = busy ? Math.max(1, Math.ceil(Number(answer.headers.get("Retry-After")) || 1)) : 0;
  return new ApiError(message || t("error.status", { status: answer.status }), { status: answer.status, wait });
};

const request = async (path, options) => {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(t("error.gone"));
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
};

// The key of a server that asks for one; kept for the next visit.
export const apiKey = value => stored("api-key", value);

const posted = (body, signal) => ({
  method: "POST", headers: { "Content-Type": "application/json", ...(apiKey() && { "X-Api-Key": apiKey() }) }, body: JSON.stringify(body), signal });

export const getJson = async path => (await request(path)).json();
export const postJson = async (path, body, signal) => (await request(path, posted(body, signal))).json();

// Server-sent events of one answer: calls onEvent(name, data) for each. Gives what "done" brought.
export const postStream = async (path, body, signal, onEvent) => {
  const answer = await request(path, posted(body, signal));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", result = null;
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError(t("error.gone"));
    }
    rest += (part.value ?? "").replaceAll("\r\n", "\n");
    for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
      const event = parseEvent(rest.slice(0, end));
      if (event.name === "error") throw new ApiError(event.data.error);
      if (event.name === "done") result = event.data;
      else if (event.data) onEvent(event.name, event.data);
    }
    if (part.done) break;
  }
  if (!result) throw new ApiError(t("error.gone"));
  return result;
};

const parseEvent = text => {
  let name = "message", data = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5);
  }
  if (data.trim() === "[DONE]") return { name: "done", data: {} }; // of OpenAI's API
  return { name, data: data ? JSON.parse(data) : null };
};

// Tries again while the server asks to come back later; `waiting(seconds)` may show it.
export const patiently = async (act, signal, waiting = () => {}) => {
  for (;;) {
    try {
      const result = await act();
      waiting(0);
      return result;
    } catch (error) {
      if (!error.wait) throw error;
      for (let left = Math.min(error.wait, 60); left > 0; --left) {
        waiting(left);
        await pause(1000, signal);
      }
    }
  }
};

const pause = (milliseconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, milliseconds);
  signal?.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
});
