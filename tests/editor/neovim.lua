-- Opens a file in headless Neovim, waits for the diagnostic, hovers, ignores it by the code action, and looks at the buffer.
-- Run by tests/neovim.rs: the server is $RANKLINT, the working directory is the project.
local function must(condition, message)
  if not condition then
    io.stderr:write("FAILED: " .. message .. "\n")
    vim.cmd("cquit 1")
  end
end

local function wait(what, check)
  must(vim.wait(60000, check, 20), what .. " did not come")
end

local function main()
  vim.cmd("edit job.py")
  local buffer = vim.api.nvim_get_current_buf()
  -- Neovim 0.7 has no `vim.lsp.start`.
  local id = vim.lsp.start_client({ name = "ranklint", cmd = { vim.env.RANKLINT, "server" }, root_dir = vim.fn.getcwd() })
  must(id, "the server does not start")
  must(vim.lsp.buf_attach_client(buffer, id), "the buffer is not attached")
  wait("the client", function()
    local client = vim.lsp.get_client_by_id(id)
    return client and client.initialized
  end)

  local function diagnostics()
    return vim.diagnostic.get(buffer)
  end
  wait("the diagnostic", function() return #diagnostics() == 1 end)
  local found = diagnostics()[1]
  must(found.code == "conditional-collective", "another rule: " .. vim.inspect(found))
  must(found.lnum == 5 and found.col == 8, "another place: " .. vim.inspect(found))
  must(found.source == "ranklint", "another source")

  local function position()
    return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = 5, character = 12 } }
  end
  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000)
    must(answers and answers[id] and not answers[id].err, method .. ": " .. vim.inspect(answers))
    return answers[id].result
  end
  local hover = ask("textDocument/hover", position())
  must(hover.contents.value:find("reached by some ranks only", 1, true), "the hover tells nothing of the finding")

  local asked = position()
  asked.range = { start = asked.position, ["end"] = asked.position }
  asked.context = { diagnostics = {} }
  local chosen
  for _, action in ipairs(ask("textDocument/codeAction", asked)) do
    if action.title == "ignore `conditional-collective` here" then
      chosen = action
    end
  end
  must(chosen, "there is no such action")
  vim.lsp.util.apply_workspace_edit(chosen.edit, vim.lsp.get_client_by_id(id).offset_encoding)
  must(vim.api.nvim_buf_line_count(buffer) == 7, "the action adds no line")
  local line = vim.api.nvim_buf_get_lines(buffer, 5, 6, false)[1]
  must(line == "        # ranklint: ignore[conditional-collective] -- REASON", "the buffer says: " .. line)
  wait("the silence", function() return #diagnostics() == 0 end)

  vim.lsp.stop_client(id)
  wait("the end of the server", function() return vim.lsp.get_client_by_id(id) == nil end)
end

-- A mistake in here must not leave an editor that waits for somebody to type.
local fine, mistake = xpcall(main, debug.traceback)
must(fine, tostring(mistake))
io.stdout:write("NEOVIM: all is well\n")
vim.cmd("qall!")
