"""What a function calls may be large: what ranks do alike there does not hide where they part (P10)."""
import torch.distributed as dist


def report(cfg, x, parts):
    if cfg.reports_a:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_b:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_c:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_d:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_e:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_f:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_g:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_h:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_i:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_j:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_k:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_l:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_m:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_n:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_o:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_p:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_q:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_r:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_s:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_t:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_u:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_v:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_w:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_x:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_y:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_z:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_aa:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_bb:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_cc:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_dd:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ee:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ff:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_gg:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_hh:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ii:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_jj:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_kk:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ll:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_mm:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_nn:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_oo:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_pp:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_qq:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_rr:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ss:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_tt:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_uu:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_vv:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ww:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_xx:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_yy:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_zz:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_aaa:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_bbb:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ccc:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ddd:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_eee:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_fff:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ggg:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_hhh:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_iii:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_jjj:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_kkk:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_lll:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_mmm:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_nnn:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ooo:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ppp:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_qqq:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_rrr:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_sss:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ttt:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_uuu:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_vvv:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_www:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_xxx:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_yyy:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_zzz:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_aaaa:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_bbbb:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_cccc:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_dddd:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_eeee:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ffff:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_gggg:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_hhhh:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_iiii:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_jjjj:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_kkkk:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_llll:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_mmmm:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_nnnn:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_oooo:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_pppp:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_qqqq:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_rrrr:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_ssss:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_tttt:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_uuuu:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)
    if cfg.reports_vvvv:
        dist.all_reduce(x)
    else:
        dist.all_gather(parts, x)


def wait_behind(cfg, x, parts):
    report(cfg, x, parts)
    if dist.get_rank() == 0 and not cfg.reports_a:
        dist.barrier()  # error: [conditional-collective]


def wait_twice(cfg, x, parts):
    if dist.get_rank() == 0:
        dist.barrier()  # error: [conditional-collective]
    report(cfg, x, parts)
    if dist.get_rank() == 1 and not cfg.reports_a:
        dist.broadcast(x, src=1)  # error: [conditional-collective]


def wait_alike(cfg, x, parts):
    report(cfg, x, parts)
    dist.barrier()
    if dist.get_rank() == 0:
        print(x)
